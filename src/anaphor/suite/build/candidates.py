"""Source pronouns that can become items: annotated ones, and ones that rules find without annotation.

The features of automatic candidates are guesses: they have a confidence and the feature `origin = automatic`,
and an annotator should confirm them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphor.analyse.function import AnalysedSentence, FunctionClassifier
from anaphor.core import Antecedent, Place
from anaphor.suite.build.antecedents import ENGLISH, find_antecedent, head_of
from anaphor.suite.build.documents import AnalysedDocument

ANNOTATED, AUTOMATIC = "annotated", "automatic"
#: How often the noun that is found belongs to the annotated chain, on the English TED talks of ParCorFull:
#: 150 of 325 for it, 113 of 188 for they (docs/suites/build.md).
_ANTECEDENT_PRECISION = {"it": 0.45, "they": 0.6}

# Also the Penn Treebank's marks, which a tokenizer splits in two.
_OPENING, _CLOSING = ("` `", "``", "“", "«"), ("' '", "''", "”", "»")


@dataclass(frozen=True, slots=True)
class PronounCandidate:
    """A pronoun with its features; `confidence` is None where all of them are annotated."""

    document: AnalysedDocument
    pronoun: Place
    antecedent: Antecedent | None
    features: Mapping[str, str]
    confidence: float | None = None


def annotated_candidates(document: AnalysedDocument) -> Iterator[PronounCandidate]:
    """Every annotated pronoun; an antecedent without a word that could be its head is dropped."""
    for found in document.document.annotated or ():
        antecedent = None
        if found.antecedent is not None:
            segment, positions = document.positions(found.antecedent)
            sentence = document.analysed[segment]
            head = head_of(sentence.analysis, sentence.tokens, positions)
            if head is not None:
                antecedent = Antecedent(found.antecedent, document.place(segment, [head]))
        yield PronounCandidate(document, found.pronoun, antecedent, {**found.features, "origin": ANNOTATED})


def automatic_candidates(
    document: AnalysedDocument, classifier: FunctionClassifier, forms: frozenset[str]
) -> Iterator[PronounCandidate]:
    """Every pronoun of these forms (it, they, you) for which a rule applies."""
    for segment, sentence in enumerate(document.analysed):
        for position, token in enumerate(sentence.tokens):
            form = token.casefold()
            found: _Guess | None = None
            if form in forms:
                found = (
                    guess_you(sentence, position)
                    if form == "you"
                    else _guess_it_or_they(document, segment, position, form, classifier)
                )
            if found is not None:
                features, confidence, antecedent = found
                place = document.place(segment, [position])
                features = {"form": form, **features, "origin": AUTOMATIC}
                yield PronounCandidate(document, place, antecedent, features, round(confidence, 2))


_Guess = tuple[dict[str, str], float, Antecedent | None]
"""Features, confidence and antecedent of an automatic candidate."""


def _guess_it_or_they(
    document: AnalysedDocument, segment: int, position: int, form: str, classifier: FunctionClassifier
) -> _Guess | None:
    """The function of the pronoun; if it is anaphoric, with the nearest noun that fits, or else nothing."""
    function, probability = "anaphoric", 1.0
    if form == "it":
        guess = classifier.guess(document.analysed, segment, position)
        function, probability = guess.function, guess.probability
    subject = position in document.analysed[segment].analysis.subjects
    role = "subject" if subject else "non-subject"
    if function != "anaphoric":
        return {"function": function, "position": role}, probability, None
    found = find_antecedent(document.analysed, segment, position, plural=form == "they")
    if found is None:
        return None
    features = {
        "function": function,
        "antecedent": "noun",
        "distance": "intra" if found.segment == segment else "inter",
        "number": found.number,
        "group": "yes" if found.group else "no",
        "position": role,
    }
    place = document.place(found.segment, [found.position])
    return features, probability * _ANTECEDENT_PRECISION[form], Antecedent(place, place)


def guess_you(sentence: AnalysedSentence, position: int) -> _Guess | None:
    """Whether *you* means people in general, one listener, or several; None in *you know* and *thank you*.

    The first rule that applies decides. The available corpora do not annotate this, so that rules and
    confidences are set by hand.
    """
    generic = {"function": "addressee", "audience": "generic"}
    one, several = (
        {"function": "addressee", "audience": "deictic", "number": number}
        for number in ("singular", "plural")
    )
    words = [token.casefold() for token in sentence.tokens]
    lemmas = [lemma.casefold() for lemma in sentence.analysis.lemmas]
    before, after = words[:position], [*words[position + 1 :], "", ""]
    if after[0] == "know" or before[-1:] == ["thank"]:
        return None
    of_several = before[-1:] == ["of"] and before[-2:-1] and before[-2] in ENGLISH["you_shares"]
    if after[0] in ENGLISH["you_several"] or of_several:
        return several, 0.9, None
    # Inside a quotation that is still open; straight marks open and close in turn.
    text = " ".join(sentence.tokens[:position])
    opened, closed = (sum(map(text.count, marks)) for marks in (_OPENING, _CLOSING))
    if opened > closed or text.count('"') % 2 == 1:
        return one, 0.6, None
    said_to = lemmas[max(position - 1, 0)] in ENGLISH["you_said_to"]
    if said_to and ENGLISH["you_speaker"] & set(before[-6:]):
        return several, 0.7, None
    if ENGLISH["you_seeing"] & set(lemmas[position + 1 : position + 4]):
        return several, 0.6, None
    if before[-1:] and before[-1] in ENGLISH["you_conditions"]:
        return generic, 0.7, None
    return generic, 0.6 if after[0] in ENGLISH["you_able"] else 0.4, None
