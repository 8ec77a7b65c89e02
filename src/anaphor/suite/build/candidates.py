"""Source pronouns that could become items: those people annotated, and those found without annotation.

What the program itself says of a pronoun has a confidence and the feature `origin = automatic`; it is there
for a person to confirm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphor.analyse.function import AnalysedSentence, FunctionClassifier
from anaphor.core import Antecedent, Place
from anaphor.suite.build.antecedents import find_antecedent, head_of
from anaphor.suite.build.documents import AnalysedDocument, AnnotatedPlace

ANNOTATED, AUTOMATIC = "annotated", "automatic"
#: How often the noun that is found belongs to the annotated chain, on the English TED talks of ParCorFull:
#: 150 of 325 for it, 113 of 188 for they (docs/suites/build.md).
_ANTECEDENT = {"it": 0.45, "they": 0.6}


@dataclass(frozen=True, slots=True)
class PronounCandidate:
    """A pronoun with its features; `confidence` is None where people said all of them."""

    document: AnalysedDocument
    pronoun: Place
    antecedent: Antecedent | None
    features: Mapping[str, str]
    confidence: float | None = None


def annotated_candidates(document: AnalysedDocument) -> Iterator[PronounCandidate]:
    """Every annotated pronoun; an antecedent without a word that could be its head is none."""
    for found in document.document.annotated or ():
        features = {**found.features, "origin": ANNOTATED}
        yield PronounCandidate(document, found.pronoun, _antecedent(document, found), features)


def automatic_candidates(
    document: AnalysedDocument, classifier: FunctionClassifier, forms: frozenset[str]
) -> Iterator[PronounCandidate]:
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
) -> Iterator[PronounCandidate]:
    guess = classifier.guess(document.analysed, segment, position)
    if guess.function == "anaphoric":
        yield from _anaphoric(document, segment, position, "it", guess.probability)
        return
    features = {"function": guess.function, "form": "it", **_position(document, segment, position)}
    yield _candidate(document, segment, position, features, guess.probability)


def _anaphoric(
    document: AnalysedDocument, segment: int, position: int, form: str, sure: float
) -> Iterator[PronounCandidate]:
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


def _you(document: AnalysedDocument, segment: int, position: int) -> Iterator[PronounCandidate]:
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
) -> PronounCandidate:
    place = document.place(segment, [position])
    return PronounCandidate(
        document, place, antecedent, {**features, "origin": AUTOMATIC}, round(confidence, 2)
    )


GENERIC, DEICTIC = "generic", "deictic"
_SEVERAL = frozenset({"all", "guys", "both", "two", "folks"})
_SHARES = frozenset(
    {"all", "many", "some", "most", "none", "any", "few", "each", "half", "both", "several", "one"}
)
_SAID_TO = frozenset(
    {
        "tell",
        "show",
        "give",
        "ask",
        "invite",
        "remind",
        "teach",
        "convince",
        "promise",
        "leave",
        "thank",
        "urge",
        "bring",
    }
)
_SPEAKER = frozenset({"i", "we", "let", "me", "us"})
_SEEING = frozenset({"see", "hear", "notice", "remember", "imagine", "recognize", "recall", "guess"})
_CONDITIONS = frozenset({"if", "when", "whenever", "once", "where", "until", "unless", "because"})
_ABLE = frozenset({"can", "could", "have", "need", "get", "want", "should", "must", "would", "might", "will"})
# The Penn Treebank's marks too, which a tokeniser cuts in two.
_OPENING, _CLOSING = ("` `", "``", "“", "«"), ("' '", "''", "”", "»")


@dataclass(frozen=True, slots=True)
class AddresseeGuess:
    """Whom *you* means; `number` is None for people in general."""

    audience: str
    number: str | None
    confidence: float


def guess_you(sentence: AnalysedSentence, position: int) -> AddresseeGuess | None:
    """The guess of the first rule that applies; None for *you know* and *thank you*, set phrases."""
    words = [token.casefold() for token in sentence.tokens]
    lemmas = [lemma.casefold() for lemma in sentence.analysis.lemmas]
    before, after = words[:position], [*words[position + 1 :], "", ""]
    if after[0] == "know" or before[-1:] == ["thank"]:
        return None
    if after[0] in _SEVERAL or (before[-1:] == ["of"] and before[-2:-1] and before[-2] in _SHARES):
        return AddresseeGuess(DEICTIC, "plural", 0.9)
    if _is_quoted(sentence.tokens[:position]):
        return AddresseeGuess(DEICTIC, "singular", 0.6)
    if lemmas[max(position - 1, 0)] in _SAID_TO and _SPEAKER & set(before[-6:]):
        return AddresseeGuess(DEICTIC, "plural", 0.7)
    if _SEEING & set(lemmas[position + 1 : position + 4]):
        return AddresseeGuess(DEICTIC, "plural", 0.6)
    if before[-1:] and before[-1] in _CONDITIONS:
        return AddresseeGuess(GENERIC, None, 0.7)
    return AddresseeGuess(GENERIC, None, 0.6 if after[0] in _ABLE else 0.4)


def _is_quoted(before: tuple[str, ...]) -> bool:
    """Whether a quotation that was opened is still open; straight marks open and close in turn."""
    text = " ".join(before)
    opened, closed = (sum(map(text.count, marks)) for marks in (_OPENING, _CLOSING))
    return opened > closed or text.count('"') % 2 == 1
