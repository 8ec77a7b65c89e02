"""The built-in analyser on the test sets of Universal Dependencies, beside spaCy's French pipeline.

Usage: python benchmarks/analyse/run.py [--language fr] [--analyser spacy] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.analyse import Analyser, load_analyser
from anaphor.analyse.tree import PRO_DROP, own_tokens, placed
from anaphor.core import Analysis, UserError, Where
from anaphor.core.engine import warn_without_native
from anaphor.corpus.conllu import read_conllu
from anaphor.languages import Tokenizer, load_language

DATA = Path(os.environ.get("ANAPHOR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
#: No sentence of these was trained on.
TESTS = {
    "en": ("en_ewt-ud-test", "en_lines-ud-test", "en_partut-ud-test", "en_pud-ud-test"),
    "fr": ("fr_sequoia-ud-test", "fr_partut-ud-test", "fr_gsd-ud-test", "fr_pud-ud-test"),
    "de": ("de_gsd-ud-test",),
    "es": ("es_gsd-ud-test",),
    "it": ("it_isdt-ud-test", "it_partut-ud-test"),
    "pt": ("pt_bosque-ud-test", "pt_gsd-ud-test", "pt_porttinari-ud-test"),
}
#: The pronouns of the prediction tasks, and others that are now a subject and now not.
PRONOUNS = {
    "en": ("it", "they", "he", "she", "this", "that", "there"),
    "fr": ("il", "elle", "ils", "elles", "on", "ce", "c'", "cela", "ça"),
    "de": ("er", "sie", "es", "man", "das", "die", "der"),
    "es": ("él", "ella", "ello", "ellos", "ellas", "esto", "eso"),
    "it": ("egli", "lui", "lei", "esso", "essa", "essi", "esse", "loro", "ciò", "questo"),
    "pt": ("ele", "ela", "eles", "elas", "isto", "isso"),
}

Labelled = tuple[Sequence[str], Analysis]
Marks = Callable[[Analysis], frozenset[int]]


@dataclass(frozen=True, slots=True)
class Compared:
    """The tokens of a test set, what they are, and what the analyser says."""

    sentences: Sequence[Labelled]
    found: Sequence[Analysis]

    def share(self, same: Callable[[Analysis, Analysis, int], bool]) -> float:
        """The share of tokens of which this holds."""
        right = [
            same(gold, ours, at)
            for (tokens, gold), ours in zip(self.sentences, self.found, strict=True)
            for at in range(len(tokens))
        ]
        return sum(right) / len(right)

    def prf(self, marks: Marks, forms: Iterable[str] | None = None) -> dict[str, float]:
        """Precision, recall and F of marked tokens, of all or of those with certain forms."""
        both = gold_total = found_total = 0
        for (tokens, gold), ours in zip(self.sentences, self.found, strict=True):
            wanted, given = (
                {at for at in marks(one) if forms is None or _form(tokens[at]) in forms}
                for one in (gold, ours)
            )
            both += len(wanted & given)
            gold_total += len(wanted)
            found_total += len(given)
        precision, recall = both / max(1, found_total), both / max(1, gold_total)
        f1 = 2 * both / max(1, gold_total + found_total)
        return {"precision": precision, "recall": recall, "f": f1, "gold": gold_total}


def read_test(language: str, name: str, folders: Sequence[Path]) -> list[Labelled]:
    paths = [path for folder in folders if (path := folder / f"{name}.conllu.gz").is_file()]
    if not paths:
        sys.exit(f"{name} is in none of {', '.join(map(str, folders))}")
    path = paths[0]
    cut = Tokenizer(load_language(language)).words
    labelled: list[Labelled] = []
    for sentence in read_conllu(path):
        tokens = own_tokens(sentence, cut)
        where = Where(str(path), sentence.line)
        labelled.append((tokens, placed(sentence, tokens, language=language, where=where)))
    return labelled


def measure(analyser: Analyser, sentences: Sequence[Labelled], language: str) -> dict[str, object]:
    compared = Compared(sentences, list(analyser.analyse(tokens for tokens, _ in sentences)))
    forms = PRONOUNS[language]
    measured: dict[str, object] = {
        "tokens": sum(len(tokens) for tokens, _ in sentences),
        "tags": compared.share(lambda gold, ours, at: gold.tags[at] == ours.tags[at]),
        # Treebanks disagree on capitals in lemmas of names.
        "lemmas": compared.share(lambda gold, ours, at: gold.lemmas[at].lower() == ours.lemmas[at].lower()),
        "subjects": compared.prf(lambda one: one.subjects),
        "pronoun_subjects": compared.prf(lambda one: one.subjects, forms),
        "expletives": compared.prf(lambda one: one.expletives, forms),
    }
    if language in PRO_DROP:
        measured["null_subjects"] = compared.prf(lambda one: one.null_subjects)
    measured["by_pronoun"] = {form: decided(compared, form) for form in forms}
    return measured


def decided(compared: Compared, form: str) -> dict[str, float]:
    """How often subject or not is decided rightly for one pronoun, beside calling each a subject."""
    right = subjects = total = 0
    for (tokens, gold), ours in zip(compared.sentences, compared.found, strict=True):
        for at, token in enumerate(tokens):
            if _form(token) == form:
                total += 1
                subjects += at in gold.subjects
                right += (at in gold.subjects) == (at in ours.subjects)
    return {"count": total, "right": right / max(1, total), "always_subject": subjects / max(1, total)}


def speed(analyser: Analyser, sentences: Sequence[Sequence[str]], times: int) -> dict[str, int]:
    """Tokens a second, by the clock and by processor time, over the sentences again and again."""
    repeated = list(sentences) * times
    clock, processor = time.perf_counter(), time.process_time()
    tokens = sum(len(analysis.tags) for analysis in analyser.analyse(repeated))
    return {
        "tokens": tokens,
        "per_second": round(tokens / (time.perf_counter() - clock)),
        "per_cpu_second": round(tokens / (time.process_time() - processor)),
    }


def _form(token: str) -> str:
    return token.lower().replace("’", "'").removeprefix("-t").lstrip("-")


def run(name: str, language: str, folders: Sequence[Path], *, timed: bool) -> dict[str, object]:
    analyser = load_analyser(name, language=language)
    sets = {test: read_test(language, test, folders) for test in TESTS[language]}
    together = [sentence for sentences in sets.values() for sentence in sentences]
    tokens = [tokens for tokens, _ in together]
    speeds = {}
    if timed:
        speeds = {
            "speed_new_words": speed(load_analyser(name, language=language), tokens, 1),
            "speed": speed(analyser, tokens, 10 if name == "built-in" else 1),
        }
    return {
        "benchmark": "analyse",
        "language": language,
        "signature": str(analyser.signature()),
        **speeds,
        "all": measure(analyser, together, language),
        "sets": {test: measure(analyser, sentences, language) for test, sentences in sets.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", action="append", choices=sorted(TESTS))
    parser.add_argument("--analyser", action="append", help="default: built-in, and spacy for French")
    parser.add_argument("--more", type=Path, help="folder with treebanks that are not under the data")
    parser.add_argument("--untimed", action="store_true", help="leave the speed out")
    parser.add_argument("--write", action="store_true", help="keep the result under results/")
    parser.add_argument("--append", action="store_true", help="keep it below the other results there")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there; set ANAPHOR_DATA to the folder that has it")
    folders = [DATA / "ud", *([options.more] if options.more else [])]
    lines = []
    for language in options.language or sorted(TESTS):
        for name in options.analyser or (["built-in", "spacy"] if language == "fr" else ["built-in"]):
            try:
                result = run(name, language, folders, timed=not options.untimed)
            except UserError as error:
                sys.exit(str(error))
            machine = {
                "python": sys.version.split()[0],
                "machine": platform.machine(),
                "cpus": os.cpu_count(),
            }
            lines.append(json.dumps(result | machine))
            print(lines[-1])
    if options.write or options.append:
        target = Path(__file__).parent / "results" / "analyse.jsonl"
        before = target.read_text(encoding="utf-8") if options.append else ""
        target.write_text(before + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    warn_without_native()
    main()
