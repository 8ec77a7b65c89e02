"""The matrix of language pairs and features in `docs/pairs.md` is what the program itself can do.

To rewrite it:

    python -m tests.docs.test_docs_pairs --write
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import anaphor
from anaphor.align.priors import built_in_pairs
from anaphor.core import LanguagePair, UserError
from anaphor.languages import known_pairs
from anaphor.predict.shipped import default_model, find_model
from anaphor.suite.shipped import shipped_suites
from anaphor.task import task_classes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pairs.md"
MARKS = ("<!-- matrix: python -m tests.docs.test_docs_pairs --write -->\n", "<!-- end of matrix -->\n")
TEXTS = {
    "cs": ["Lampa je stará .", "Ona funguje ."],
    "de": ["Die Lampe ist alt .", "Sie geht ."],
    "en": ["The lamp is old .", "It works ."],
    "es": ["La lámpara es vieja .", "Ella funciona ."],
    "fr": ["La lampe est vieille .", "Elle marche ."],
    "it": ["La lampada è vecchia .", "Essa funziona ."],
    "ja": ["ランプ は 古い 。", "それ は 動く 。"],
    "nl": ["De lamp is oud .", "Hij werkt ."],
    "pl": ["Lampa jest stara .", "Ona działa ."],
    "pt": ["A lâmpada é velha .", "Ela funciona ."],
    "ru": ["Лампа старая .", "Она работает ."],
    "uk": ["Лампа стара .", "Вона працює ."],
    "zh": ["灯 很 旧 。", "它 还 能 用 。"],
}
#: The first columns; other pairs follow in alphabetical order.
FIRST = ("en-de", "en-fr", "en-es", "de-en", "fr-en", "es-en")
YES, NO = "yes", "–"


def works(call: Callable[[], object]) -> str:
    """Whether a call is possible for a pair; what a user can mend means that it is not."""
    try:
        call()
    except UserError:
        return NO
    return YES


def fields(pair: str, metric: str) -> set[str]:
    """The names in the signature of a score of two sentences, or nothing where the pair has no such score."""
    source, target = pair.split("-")
    try:
        report = anaphor.evaluate(
            source=TEXTS[source],
            references=None if metric == "accept" else TEXTS[target],
            systems={"system": TEXTS[target]},
            pair=pair,
            metrics=metric,
            tokenized=True,
            priors="none",
            samples=0,
        )
    except UserError:
        return set()
    signature = str(report.systems[0].scores[0].signature)
    return {part.partition(":")[0] for part in signature.split("|")}


def column(pair: str) -> dict[str, str]:
    """What the program does for a pair, feature by feature."""
    parsed = LanguagePair.parse(pair)
    accept = fields(pair, "accept")
    given = {True: YES, False: NO}
    prior = {pair, f"{parsed.target}-{parsed.source}"} & set(built_in_pairs())
    return {
        "[`apt`](metrics/apt.md), [`autoprf`](metrics/autoprf.md) with a reference": given[
            bool(fields(pair, "apt"))
        ],
        "[`accept`](metrics/accept.md) without a reference": given[bool(accept)],
        "its witness *detector*": given["detector" in accept],
        "[aligner](align.md) prior": given[bool(prior)],
        "[pronoun prediction](predict/README.md): classes and data": works(lambda: task_classes(parsed)),
        "pretrained predictor, [hints](predict/README.md#a-hint-without-a-reference), "
        "[post-editing](predict/postedit.md)": works(lambda: find_model(default_model(pair), pair=pair)),
        "[shipped suite](suites/shipped.md)": given[f"anaphor-{pair}" in shipped_suites()],
        "[function of *it*](suites/function-of-it.md)": given[parsed.source == "en"],
    }


def matrix() -> str:
    """One column for all pairs that have the same features."""
    pairs = sorted(known_pairs(), key=lambda pair: (pair not in FIRST, *(pair != one for one in FIRST), pair))
    alike: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for pair in pairs:
        alike.setdefault(tuple(column(pair).items()), []).append(pair)
    columns = [dict(features) for features in alike]
    rows = [["feature", *(", ".join(group) for group in alike.values())], ["---"] * (len(columns) + 1)]
    rows += [[feature, *(one[feature] for one in columns)] for feature in columns[0]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def test_the_matrix_says_what_the_program_does() -> None:
    start, end = MARKS
    shown = PAGE.read_text(encoding="utf-8").partition(start)[2].partition(end)[0]
    assert shown.strip() == matrix().strip(), "run: python -m tests.docs.test_docs_pairs --write"


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(MARKS[0])
    PAGE.write_text(
        f"{head}{MARKS[0]}\n{matrix()}\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8"
    )
