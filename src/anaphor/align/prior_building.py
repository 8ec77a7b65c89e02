"""Alignment priors from parallel text, for the package and for users' own pairs.

The aligner is trained on the text, and what it believes at the end is kept: expected counts of word pairs,
occurrences of words, jump tables. No text is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

from anaphor.align.engine import best_engine, enough_memory
from anaphor.align.model import COUNT_UNIT, Bitext, HmmModel, HmmOptions, LexiconRows, PassCounts
from anaphor.align.pairs import TextFiles, read_pairs, tokenizers
from anaphor.align.priors import MOST_WORDS, PriorTable, prior_path, renumbered, write_prior
from anaphor.align.programs import SentencePair
from anaphor.align.train import InMemoryText, PhaseProgress, train, training_weight
from anaphor.align.vocabulary import Packs, load_packs, number_pairs
from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError
from anaphor.core.array_types import Floats, Ints, Longs
from anaphor.core.progress import ShareProgress
from anaphor.core.table import Block, JsonFields
from anaphor.corpus import read_text
from anaphor.corpus.plausibility import language_problem
from anaphor.files.folders import inside
from anaphor.languages import known_languages, load_language

#: Longer sentences teach little about words, and their training takes most of the time.
LONGEST = 120
#: Word pairs expected less often than this are left out, and the rarest beyond so many.
LEAST_COUNT = 0.2
_MOST_ENTRIES = 700_000
#: Set here, so that the files come out the same when the aligner's defaults move. There is more null and more
#: pruning than in those: doubtful links of the training text are no knowledge.
_OPTIONS = HmmOptions(null=0.05, cognates=0.5, kin=0, prune=0.001)


@dataclass(frozen=True, slots=True)
class BuiltPrior(JsonFields):
    """A prior that was built: its file, sentence pairs learned from and left out, word pairs in it."""

    path: str
    pair: str
    sentence_pairs: int
    left_out: int
    word_pairs: int
    bytes: int

    def tables(self) -> Sequence[Block]:
        learned = f"learned from {self.sentence_pairs:,} sentence pairs"
        if self.left_out:
            learned += f" ({self.left_out:,} empty or longer than {LONGEST} tokens left out)"
        return [f"{self.path}: {self.word_pairs:,} word pairs, {self.bytes:,} bytes; {learned}"]


def build_prior(
    pair: LanguagePair, texts: Iterable[TextFiles], folder: Path, *, progress: ShareProgress | None = None
) -> BuiltPrior:
    """Learn an alignment prior from texts and their translations, and put it into a folder of packs.

    Args:
        pair: The language pair.
        texts: The paths of each text and its translation.
        folder: The folder of the packs.
        progress: Called with the name of each phase and the share of all work.

    Returns:
        The path of the prior, and its size.

    Raises:
        UserError: A text is invalid or does not belong to the pair.

    Example:
        >>> from pathlib import Path
        >>> from anaphor.align.prior_building import build_prior
        >>> from anaphor.core import LanguagePair
        >>> pair = LanguagePair.parse("en-fr")
        >>> built = build_prior(pair, [("source.en", "reference.fr")], Path("packs"))
        >>> print(built.path, built.sentence_pairs)
        packs/en-fr.prior 115
    """
    packs = folder if folder.is_dir() else None
    output = inside(folder, prior_path(folder, pair))
    files = [*texts]
    known = known_languages(packs)
    for code in (pair.source, pair.target):
        if code not in known:
            fix = f"`anaphor pack new {pair} --output {folder}` makes packs to fill in"
            raise UnknownNameError(f"there is no pack of the language {code}", where=str(folder), fix=fix)
    languages = [load_language(code, folder=packs) for code in (pair.source, pair.target)]
    for path, language in (
        (path, pack) for both in files for path, pack in zip(both, languages, strict=True)
    ):
        if (problem := language_problem(read_text(path), language)) is not None:
            what, where = problem
            raise MismatchError(
                f"the text {what}", where=where, fix="check the pair and the order of the files"
            )
    words = tokenizers(pair, packs=packs)
    seen: Counter[bool] = Counter()

    def useful() -> Iterator[SentencePair]:
        for source, target in chain.from_iterable(read_pairs(both, words) for both in files):
            kept = is_useful(source, target)
            seen[kept] += 1
            if kept:
                yield source, target

    table = learn_prior(useful(), pair, load_packs(pair, packs), progress)
    folder.mkdir(parents=True, exist_ok=True)
    names = ", ".join(f"{Path(source).name} and {Path(target).name}" for source, target in files)
    write_prior(output, table, origin=f"{names}: counts only")
    size = output.stat().st_size
    return BuiltPrior(str(output), str(pair), seen[True], seen[False], len(table.rows), size)


def is_useful(source: Sequence[str], target: Sequence[str]) -> bool:
    """Whether a sentence pair has words on both sides, and not too many."""
    return 0 < len(source) <= LONGEST and 0 < len(target) <= LONGEST


def learn_prior(
    pairs: Iterable[SentencePair],
    pair: LanguagePair,
    packs: Packs,
    progress: ShareProgress | None = None,
    *,
    least: float = LEAST_COUNT,
) -> PriorTable:
    """Train on the pairs, which are read once, and keep the counts of a last pass from `least` up."""
    options, engine = _OPTIONS, best_engine()
    source, target = packs.vocabularies()
    with enough_memory():
        text = number_pairs(pairs, source=source, target=target).text
    if len(text) == 0:
        what = f"no sentence pair has 1 to {LONGEST} tokens on both sides"
        raise InputError(what, where="texts to learn from", fix="pass texts with one sentence per line")
    meter = PhaseProgress(progress, total=training_weight(options))
    whole = InMemoryText(text, engine)
    forms, other_forms = source.forms, target.forms
    prior = renumbered(None, source_forms=forms, target_forms=other_forms)
    model = train(whole, options, engine, meter, source_forms=forms, target_forms=other_forms, prior=prior)
    counts = engine.expect(text, engine.indexed(model, options), hmm=True, jump_stride=1)
    return _compact(text, model, counts, pair, least, source_forms=forms, target_forms=other_forms)


def _compact(
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
    least = max(least, float(np.sort(link)[-_MOST_ENTRIES]) if len(link) > _MOST_ENTRIES else 0.0)
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


def _by_frequency(total: Floats, used: Ints) -> tuple[Longs, Longs]:
    """New number of every word, -1 for those left out, and old number of every word kept."""
    candidates = np.unique(used).astype(np.int64)
    order = candidates[np.argsort(-total[candidates], kind="stable")][:MOST_WORDS]
    new = np.full(len(total), -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    return new, order
