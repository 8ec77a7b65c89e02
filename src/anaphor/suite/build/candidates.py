"""Source pronouns that can become items: annotated ones, and ones that rules find without annotation.

The features of automatic candidates are guesses, and so are the antecedents of *it* and *they*: they have a
confidence and the feature `origin = automatic`, and an annotator should confirm them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from anaphor.analyse.function import AnalysedSentence, FunctionClassifier
from anaphor.core import Analysis, Antecedent, TextPlace
from anaphor.core.text import NOUNS
from anaphor.suite.build.documents import AnalysedDocument

_SENTENCES_BACK = 2
_INSIDE_NOUN_PHRASE = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN", "PRON"})
# What ends the part of an English noun phrase whose last noun is the head.
_AFTER_HEAD = frozenset({"ADP", "SCONJ", "VERB", "AUX", "CCONJ", "PUNCT"})
_WITHOUT_NOUN = ("PRON", "NUM", "ADJ", "DET", "VERB")


#: Word lists of the rules for English, by name.
ENGLISH = {
    name: frozenset(words.split())
    for name, words in tomllib.loads(
        (files("anaphor.suite.build") / "english.toml").read_text(encoding="utf-8")
    ).items()
}
ANNOTATED, AUTOMATIC = "annotated", "automatic"
#: How often the noun that is found belongs to the annotated chain, on the English TED talks of ParCorFull:
#: 150 of 325 for it, 113 of 188 for they (docs/suites/build.md).
_ANTECEDENT_PRECISION = {"it": 0.45, "they": 0.6}
# Also the Penn Treebank's marks, which a tokenizer splits in two.
_OPENING, _CLOSING = ("` `", "``", "“", "«"), ("' '", "''", "”", "»")
#: Features, confidence and antecedent of an automatic candidate.
_Guess = tuple[dict[str, str], float, Antecedent | None]


def head_of(analysis: Analysis, tokens: Sequence[str], positions: Sequence[int]) -> int | None:
    """The head of a mention, with which a pronoun agrees (protest-2016, section 5.1), or None.

    With a dependency tree it is the word whose head lies outside; otherwise rules of English word order find
    it: the last noun before a preposition, a clause, a conjunction or a comma.
    """
    if analysis.tree is not None:
        inside = set(positions)
        return next((at for at in positions if analysis.tree.heads[at] not in inside), None)
    end = len(positions)
    seen = False
    for number, position in enumerate(positions):
        tag = analysis.tags[position]
        if seen and (tag in _AFTER_HEAD or tokens[position].casefold() in ENGLISH["relative"]):
            end = number
            break
        seen = seen or tag in NOUNS
    core = positions[:end]
    nouns = [position for position in core if analysis.tags[position] in NOUNS]
    if nouns:
        quantity = analysis.lemmas[nouns[-1]].casefold() in ENGLISH["quantities"]
        if quantity and end < len(positions) - 1 and tokens[positions[end]].casefold() == "of":
            counted = head_of(analysis, tokens, positions[end + 1 :])
            return nouns[-1] if counted is None else counted
        return nouns[-1]
    others = [position for tag in _WITHOUT_NOUN for position in core if analysis.tags[position] == tag]
    return others[0] if others else None


@dataclass(frozen=True, slots=True)
class FoundAntecedent:
    """A noun before the pronoun: its segment and token, the pronoun's number, whether it names a group."""

    segment: int
    position: int
    number: str
    group: bool


def find_antecedent(
    sentences: Sequence[AnalysedSentence], segment: int, position: int, *, plural: bool
) -> FoundAntecedent | None:
    """The best noun with matching number, in this sentence or else in the nearest of the two before it.

    In order of preference: the last subject, the last noun not governed by a preposition, the last noun.
    """
    for number in range(segment, max(segment - _SENTENCES_BACK - 1, -1), -1):
        sentence = sentences[number]
        end = position if number == segment else len(sentence.tokens)
        fitting = [at for at in range(end) if _fits(sentence, at, end, plural=plural)]
        if fitting:
            subjects = [at for at in fitting if at in sentence.analysis.subjects]
            free = [at for at in fitting if not _is_governed(sentence, at)]
            best = (subjects or free or fitting)[-1]
            lemma = sentence.analysis.lemmas[best].casefold()
            singular = not plural or (lemma in ENGLISH["anyone"] and not _is_plural(sentence, best))
            return FoundAntecedent(
                number, best, "singular" if singular else "plural", lemma in ENGLISH["groups"]
            )
    return None


def _fits(sentence: AnalysedSentence, at: int, end: int, *, plural: bool) -> bool:
    """Whether a noun at the end of its phrase, or a word such as *anyone*, matches the pronoun in number."""
    tags, lemma = sentence.analysis.tags, sentence.analysis.lemmas[at].casefold()
    closes_phrase = tags[at] in NOUNS and not (at + 1 < end and tags[at + 1] in NOUNS)
    anyone = sentence.tokens[at].casefold() in ENGLISH["anyone"]
    if lemma in ENGLISH["seldom"] or not (closes_phrase or anyone):
        return False
    if plural:
        return _is_plural(sentence, at) or lemma in ENGLISH["groups"] | ENGLISH["anyone"]
    return not _is_plural(sentence, at) and lemma not in ENGLISH["anyone"]


def _is_governed(sentence: AnalysedSentence, at: int) -> bool:
    """Whether a preposition precedes the noun, with only words of its phrase between."""
    before = at - 1
    while before >= 0 and sentence.analysis.tags[before] in _INSIDE_NOUN_PHRASE:
        before -= 1
    return before >= 0 and sentence.analysis.tags[before] == "ADP"


def _is_plural(sentence: AnalysedSentence, at: int) -> bool:
    """A noun in another form than its lemma; *people* is its own lemma and plural."""
    word = sentence.tokens[at].casefold()
    return word == "people" or (
        sentence.analysis.tags[at] == "NOUN" and word != sentence.analysis.lemmas[at].casefold()
    )


@dataclass(frozen=True, slots=True)
class PronounCandidate:
    """A pronoun with its features; `confidence` is None if all of them are annotated."""

    document: AnalysedDocument
    pronoun: TextPlace
    antecedent: Antecedent | None
    features: Mapping[str, str]
    confidence: float | None = None


def annotated_candidates(document: AnalysedDocument) -> Iterator[PronounCandidate]:
    """Every annotated pronoun; an antecedent without a word that could be its head is dropped."""
    for annotation in document.document.annotated or ():
        antecedent = None
        if annotation.antecedent is not None:
            segment, positions = document.positions(annotation.antecedent)
            sentence = document.analysed[segment]
            head = head_of(sentence.analysis, sentence.tokens, positions)
            if head is not None:
                antecedent = Antecedent(annotation.antecedent, document.place(segment, [head]))
        yield PronounCandidate(
            document, annotation.pronoun, antecedent, {**annotation.features, "origin": ANNOTATED}
        )


def automatic_candidates(
    document: AnalysedDocument, classifier: FunctionClassifier, forms: frozenset[str]
) -> Iterator[PronounCandidate]:
    """Every pronoun of these forms (it, they, you) to which a rule applies."""
    for segment, sentence in enumerate(document.analysed):
        for position, token in enumerate(sentence.tokens):
            form = token.casefold()
            guess: _Guess | None = None
            if form in forms:
                guess = (
                    guess_you(sentence, position)
                    if form == "you"
                    else _guess_it_or_they(document, segment, position, form, classifier)
                )
            if guess is not None:
                features, confidence, antecedent = guess
                place = document.place(segment, [position])
                features = {"form": form, **features, "origin": AUTOMATIC}
                yield PronounCandidate(document, place, antecedent, features, round(confidence, 2))


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
    antecedent = find_antecedent(document.analysed, segment, position, plural=form == "they")
    if antecedent is None:
        return None
    features = {
        "function": function,
        "antecedent": "noun",
        "distance": "intra" if antecedent.segment == segment else "inter",
        "number": antecedent.number,
        "group": "yes" if antecedent.group else "no",
        "position": role,
    }
    place = document.place(antecedent.segment, [antecedent.position])
    # Function and antecedent both have to be right.
    return features, probability * _ANTECEDENT_PRECISION[form], Antecedent(place, place)


def guess_you(sentence: AnalysedSentence, position: int) -> _Guess | None:
    """Whether *you* means people in general, one listener, or several; None in *you know* and *thank you*.

    The first rule that applies decides. The available corpora do not annotate this, so rules and confidences
    are set by hand.
    """
    generic = {"function": "addressee", "audience": "generic"}
    single, several = (
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
        return single, 0.6, None
    said_to = lemmas[max(position - 1, 0)] in ENGLISH["you_said_to"]
    if said_to and ENGLISH["you_speaker"] & set(before[-6:]):
        return several, 0.7, None
    if ENGLISH["you_seeing"] & set(lemmas[position + 1 : position + 4]):
        return several, 0.6, None
    if before[-1:] and before[-1] in ENGLISH["you_conditions"]:
        return generic, 0.7, None
    return generic, 0.6 if after[0] in ENGLISH["you_able"] else 0.4, None
