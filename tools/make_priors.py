"""Make the alignment priors that ship with the package.

    python tools/make_priors.py --data DATA --pair en-fr [--most 400000] [--leave-out items.jsonl] OUTPUT
    python tools/make_priors.py --text en-it.tsv --origin "Tatoeba, ..." --pair en-it OUTPUT

Reads Europarl, Tatoeba, the Debian handbook and the Bible from DATA, or the pairs that `tools/free_text.py`
gathered, trains the aligner on them and keeps what it believes: expected counts of word pairs, occurrences
of words, jump tables. No text is kept. For languages with small priors, DATA holds the repositories
Tatoeba-Challenge and NTREX. Sentences of the files after `--leave-out` (hand-made links used for measuring,
in JSON or the layout of XL-WA) are not trained on.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from anaphor.align.engine import best_engine
from anaphor.align.model import COUNT_UNIT, Bitext, Floats, HmmModel, HmmOptions, LexiconRows, PassCounts
from anaphor.align.priors import MOST_WORDS, PriorTable, renumbered, write_prior
from anaphor.align.programs import SentencePair
from anaphor.align.train import InMemoryText, PhaseProgress, train, training_weight
from anaphor.align.vocabulary import load_packs, number_pairs
from anaphor.core import LanguagePair
from anaphor.languages import Tokenizer, load_language

LEAST_COUNT = 0.2
"""Word pairs expected less often than this are left out."""
MOST_ENTRIES = 700_000
#: Set here, so that the files come out the same when the aligner's defaults move. There is more null and more
#: pruning than in those: doubtful links of the training text are no knowledge.
OPTIONS = HmmOptions(null=0.05, cognates=0.5, kin=0, prune=0.001)
ORIGIN = "Europarl, Tatoeba (CC BY 2.0 FR), The Debian Administrator's Handbook, the Bible: counts only"
SMALL_ORIGIN = "Tatoeba (CC BY 2.0 FR), NTREX-128 (CC BY-SA 4.0): counts only"
#: Languages with small priors: their names in the two repositories, and the least count that is kept.
_SMALL = {"cs": "ces", "nl": "nld", "pl": "pol", "ru": "rus", "uk": "ukr"}
_SMALL_LEAST_COUNT = 0.5

# Name in the corpus files: (column in the handbook, column in the Bible or None, Tatoeba's file and columns).
_PLACES = {
    "fr": (3, None, "eng-fra", (2, 3)),
    "de": (4, 4, "deu-eng", (3, 2)),
    "es": (5, 5, "eng-spa", (2, 3)),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    text = parser.add_mutually_exclusive_group(required=True)
    text.add_argument("--data", type=Path)
    text.add_argument("--text", type=Path, help="pairs of sentences, separated by a tab")
    parser.add_argument(
        "--origin", default=ORIGIN, help="the texts and their licences, for the file's header"
    )
    parser.add_argument("--pair", type=LanguagePair.parse, required=True)
    parser.add_argument("--most", type=int, default=200_000, help="Europarl pairs, chosen at random")
    parser.add_argument("--leave-out", type=Path, action="append", default=[])
    parser.add_argument("output", type=Path)
    arguments = parser.parse_args()
    unwanted = {key for path in arguments.leave_out for key in _keys_of_items(path)}
    small = arguments.text is None and arguments.pair.target in _SMALL
    if arguments.text is None:
        raw = raw_pairs(arguments.data, arguments.pair.target, arguments.most)
    else:
        raw = gathered_pairs(arguments.text)
    pairs = list(_tokenised(raw, arguments.pair, unwanted))
    table = learn(pairs, arguments.pair, least=_SMALL_LEAST_COUNT if small else LEAST_COUNT)
    write_prior(arguments.output, table, origin=SMALL_ORIGIN if small else arguments.origin)
    size = arguments.output.stat().st_size
    sys.stderr.write(f"{arguments.output}: {len(pairs)} pairs, {len(table.rows)} entries, {size} bytes\n")


def learn(pairs: Sequence[SentencePair], pair: LanguagePair, *, least: float = LEAST_COUNT) -> PriorTable:
    """Train on the pairs and keep the expected counts of a last pass."""
    options, engine = OPTIONS, best_engine()
    source, target = load_packs(pair).vocabularies()
    text = number_pairs(pairs, source=source, target=target).text
    meter = PhaseProgress(_say, total=training_weight(options))
    whole = InMemoryText(text, engine)
    forms = {"source_forms": source.forms, "target_forms": target.forms}
    model = train(whole, options, engine, meter, **forms, prior=renumbered(None, **forms))
    counts = engine.expect(text, engine.indexed(model, options), hmm=True, jump_stride=1)
    return compact(text, model, counts, pair, least, **forms)


def compact(
    text: Bitext,
    model: HmmModel,
    counts: PassCounts,
    pair: LanguagePair,
    least: float,
    *,
    source_forms: list[str],
    target_forms: list[str],
) -> PriorTable:
    """The strongest entries, with words numbered by frequency."""
    link = counts.forward / COUNT_UNIT
    least = max(least, float(np.sort(link)[-MOST_ENTRIES]) if len(link) > MOST_ENTRIES else 0.0)
    source, target = model.rows.sources(), model.rows.target
    source_total = np.bincount(text.source, minlength=len(source_forms)).astype(np.float32)
    target_total = np.bincount(text.target, minlength=len(target_forms)).astype(np.float32)
    new_source, old_source = _by_frequency(source_total, source[link >= least])
    new_target, old_target = _by_frequency(target_total, target[link >= least])
    kept = (link >= least) & (new_source[source] >= 0) & (new_target[target] >= 0)
    s, t, c = new_source[source[kept]], new_target[target[kept]], link[kept]
    order = np.lexsort((t, s))
    start = np.concatenate([[0], np.cumsum(np.bincount(s, minlength=len(old_source)))])
    return PriorTable(
        pair,
        tuple(source_forms[n] for n in old_source),
        tuple(target_forms[n] for n in old_target),
        LexiconRows(start.astype(np.int64), t[order].astype(np.int32)),
        c[order].astype(np.float32),
        source_total[old_source],
        target_total[old_target],
        model.forward_jumps,
        model.reverse_jumps,
    )


def _by_frequency(
    total: Floats, used: np.ndarray[tuple[int], np.dtype[np.int32]]
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """New number of every word, -1 for those left out, and old number of every word kept."""
    candidates = np.unique(used).astype(np.int64)
    order = candidates[np.argsort(-total[candidates], kind="stable")][:MOST_WORDS]
    new = np.full(len(total), -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    return new, order


def _tokenised(
    raw: Iterable[tuple[str, str]], pair: LanguagePair, unwanted: set[str]
) -> Iterator[SentencePair]:
    tokenizers = Tokenizer(load_language(pair.source)), Tokenizer(load_language(pair.target))
    for both in raw:
        source, target = (cut(text).tokens for cut, text in zip(tokenizers, both, strict=True))
        if 0 < len(source) <= 120 and 0 < len(target) <= 120 and _key(source) not in unwanted:
            yield source, target


def raw_pairs(data: Path, language: str, most: int) -> Iterator[tuple[str, str]]:
    if language in _SMALL:
        yield from _small_pairs(data, _SMALL[language])
        return
    handbook, bible, tatoeba, columns = _PLACES[language]
    europarl = [
        (row[3], row[4])
        for row in _rows(data / f"europarl/europarl.en-{language}.docs.tsv.gz")
        if len(row) > 4
    ]
    random.Random(7).shuffle(europarl)  # noqa: S311 - a sample, no secret
    yield from europarl[1:most]
    for path in sorted((data / "tatoeba").glob(f"*{tatoeba}.txt.gz")):
        yield from ((row[columns[0]], row[columns[1]]) for row in _rows(path) if len(row) > 3)
    for path in sorted((data / "debian-handbook").glob("*.tsv.gz")):
        yield from ((row[2], row[handbook]) for row in _rows(path) if len(row) > 5)
    for path in sorted((data / "bible").glob("*.tsv.gz")) if bible is not None else ():
        yield from ((row[3], row[bible]) for row in _rows(path) if bible is not None and len(row) > 5)


def _small_pairs(data: Path, code: str) -> Iterator[tuple[str, str]]:
    """English and the other language in the test and development sets of Tatoeba, then in NTREX."""
    for part in ("dev", "test"):
        for path in sorted((data / "Tatoeba-Challenge/data" / part).glob(f"*{code}*/*.txt")):
            for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n"):
                first, second, *texts = line.split("\t")
                if {first, second} == {"eng", code}:
                    yield (texts[0], texts[1]) if first == "eng" else (texts[1], texts[0])
    folder = data / "NTREX/NTREX-128"
    names = ("newstest2019-src.eng.txt", f"newstest2019-ref.{code}.txt")
    lines = [(folder / name).read_text(encoding="utf-8").split("\n") for name in names]
    yield from zip(*lines, strict=True)


def gathered_pairs(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            source, target = line.rstrip("\n").split("\t")
            yield source, target


def _rows(path: Path) -> Iterator[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def _keys_of_items(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield _key(json.loads(line)["source"] if path.suffix == ".jsonl" else line.split("\t")[0].split())


def _key(tokens: Sequence[str]) -> str:
    """The letters of a sentence, however it was tokenised."""
    return "".join(character for character in "".join(tokens).lower() if character.isalnum())


def _say(stage: str, share: float) -> None:
    sys.stderr.write(f"\r{stage} {share:.0%}  ")


if __name__ == "__main__":
    main()
