"""Source pronouns that could become items: those people annotated, and those found without annotation.

What the program itself says of a pronoun has a confidence and the feature `origin = automatic`; it is there
for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphor.analyse.function import FunctionClassifier
from anaphor.core import Antecedent, Place
from anaphor.suite.build_analysed import AnalysedDocument
from anaphor.suite.build_documents import AnnotatedPlace
from anaphor.suite.candidates_antecedent import find_antecedent
from anaphor.suite.candidates_you import guess_you
from anaphor.suite.heads import head_of

ANNOTATED, AUTOMATIC = "annotated", "automatic"
#: How often the noun that is found belongs to the annotated chain, on the English TED talks of ParCorFull:
#: 150 of 325 for it, 113 of 188 for they (docs/suites/build.md).
_ANTECEDENT = {"it": 0.45, "they": 0.6}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pronoun with its features; `confidence` is None where people said all of them."""

    document: AnalysedDocument
    pronoun: Place
    antecedent: Antecedent | None
    features: Mapping[str, str]
    confidence: float | None = None


def annotated_candidates(document: AnalysedDocument) -> Iterator[Candidate]:
    """Every annotated pronoun; an antecedent without a word that could be its head is none."""
    for found in document.document.annotated or ():
        features = {**found.features, "origin": ANNOTATED}
        yield Candidate(document, found.pronoun, _antecedent(document, found), features)


def automatic_candidates(
    document: AnalysedDocument, classifier: FunctionClassifier, forms: frozenset[str]
) -> Iterator[Candidate]:
    """Every pronoun of these forms (it, they, you) that the rules know something of."""
    for segment, sentence in enumerate(document.analysed):
        for position, token in enumerate(sentence.tokens):
            form = token.casefold()
            if form not in forms:
                continue
            if form == "you":
                yield from _you(document, segment, position)
            elif form == "they":
                yield from _anaphoric(document, segment, position, form, 1.0)
            elif form == "it":
                yield from _it(document, segment, position, classifier)


def _antecedent(document: AnalysedDocument, found: AnnotatedPlace) -> Antecedent | None:
    if found.antecedent is None:
        return None
    segment, positions = document.positions(found.antecedent)
    sentence = document.analysed[segment]
    head = head_of(sentence.analysis, sentence.tokens, positions)
    return None if head is None else Antecedent(found.antecedent, document.place(segment, [head]))


def _it(
    document: AnalysedDocument, segment: int, position: int, classifier: FunctionClassifier
) -> Iterator[Candidate]:
    guess = classifier.guess(document.analysed, segment, position)
    if guess.function == "anaphoric":
        yield from _anaphoric(document, segment, position, "it", guess.probability)
        return
    features = {"function": guess.function, "form": "it", **_position(document, segment, position)}
    yield _candidate(document, segment, position, features, guess.probability)


def _anaphoric(
    document: AnalysedDocument, segment: int, position: int, form: str, sure: float
) -> Iterator[Candidate]:
    """A pronoun with the nearest noun that fits it; without one it is no candidate."""
    found = find_antecedent(document.analysed, segment, position, plural=form == "they")
    if found is None:
        return
    place = document.place(found.segment, [found.position])
    features = {
        "function": "anaphoric",
        "form": form,
        "antecedent": "noun",
        "distance": "intra" if found.segment == segment else "inter",
        "number": found.number,
        "group": "yes" if found.group else "no",
        **_position(document, segment, position),
    }
    confidence = sure * _ANTECEDENT[form]
    yield _candidate(document, segment, position, features, confidence, Antecedent(place, place))


def _you(document: AnalysedDocument, segment: int, position: int) -> Iterator[Candidate]:
    guess = guess_you(document.analysed[segment], position)
    if guess is not None:
        features = {"function": "addressee", "form": "you", "audience": guess.audience}
        if guess.number is not None:
            features["number"] = guess.number
        yield _candidate(document, segment, position, features, guess.confidence)


def _position(document: AnalysedDocument, segment: int, position: int) -> dict[str, str]:
    subject = position in document.analysed[segment].analysis.subjects
    return {"position": "subject" if subject else "non-subject"}


def _candidate(
    document: AnalysedDocument,
    segment: int,
    position: int,
    features: dict[str, str],
    confidence: float,
    antecedent: Antecedent | None = None,
) -> Candidate:
    place = document.place(segment, [position])
    return Candidate(document, place, antecedent, {**features, "origin": AUTOMATIC}, round(confidence, 2))
