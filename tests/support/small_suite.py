"""An invented suite of two items, and two systems for it."""

from __future__ import annotations

from anaphor.core import (
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
)
from anaphor.corpus import Text
from anaphor.suite import LoadedSuite, SuiteTexts

SOURCE = ("I bought a lamp .", "It is bright .", "Today it rains .", "We left .")
REFERENCE = ("J'ai acheté une lampe .", "Elle est vive .", "Aujourd'hui il pleut .", "Nous partîmes .")
SYSTEMS = {
    "secret-alpha": ("J'ai acheté une lampe .", "Elle est vive .", "Aujourd'hui il pleut .", "On partit ."),
    "secret-beta": ("J'ai acheté un lampadaire .", "Elle brille .", "Aujourd'hui ça pleut .", "On partit ."),
}
LINKS = (((0, 0), (1, 1), (3, 3)), ((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 1), (2, 2)), ((0, 0), (1, 1)))


def small_suite(pair: str = "en-fr", source: tuple[str, ...] = SOURCE) -> LoadedSuite:
    """One document with an anaphoric and a pleonastic *it*; other text must have the same shape."""
    text, reference = Text.of(source, path="source"), Text.of(REFERENCE, path="human")
    starts = [sum(len(line) + 1 for line in source[:number]) for number in range(len(source))]
    human = [sum(len(line) + 1 for line in REFERENCE[:number]) for number in range(len(REFERENCE))]

    def word(line: int, number: int, *, lines: tuple[str, ...], offsets: list[int]) -> tuple[Span, ...]:
        tokens = lines[line].split(" ")
        start = offsets[line] + sum(len(token) + 1 for token in tokens[:number])
        return (Span(start, start + len(tokens[number])),)

    def here(line: int, number: int) -> tuple[Span, ...]:
        return word(line, number, lines=source, offsets=starts)

    def there(line: int, number: int) -> tuple[Span, ...]:
        return word(line, number, lines=REFERENCE, offsets=human)

    lamp = Item(
        "lamp",
        "home",
        "anaphoric_it",
        here(1, 0),
        (Antecedent(here(0, 3), here(0, 3)),),
        (ReferencePair("human", there(1, 0), (there(0, 3),)),),
    )
    rain = Item("rain", "home", "pleonastic_it", here(2, 1), (), (ReferencePair("human", there(2, 1)),))
    categories = (
        Category("anaphoric_it", True, "it for a thing"),
        Category("pleonastic_it", False, "it for nothing"),
    )
    document = SuiteDocument("home", len(source), text.digest, {"human": reference.digest})
    suite = Suite(
        "small", "1", LanguagePair.parse(pair), "Apache-2.0", "", categories, (document,), (lamp, rain)
    )
    return LoadedSuite(suite, SuiteTexts({"home": text}, {"human": {"home": reference}}))
