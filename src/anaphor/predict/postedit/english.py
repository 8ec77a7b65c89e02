"""English subject pronouns: the word, the verb that agrees with it, and other words that refer to it.

Of all English words only the verb and a reflexive pronoun must follow a new subject, and both are regular
enough to be written. If they are ambiguous (*'s* for *is* or *has*, *they put*, *they are teachers*), the
proposal is held back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anaphor.core import Analysis, Sentence, Span
from anaphor.core.text import NOUNS, VERBS
from anaphor.languages import fold
from anaphor.predict.postedit.spelling import UngrammaticalError, in_case_of, word_set
from anaphor.predict.postedit.types import Analyse, Edit, Occurrence

#: Classes with the verb of the plural.
PLURAL = word_set("they, these, you")
_DEMONSTRATIVE = word_set("this, these")
_FAR = {"this": "that", "these": "those"}
_TO_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do", "'s": "'re"}
_TO_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "'re": "'s", "'ve": "'s"}
#: What a reduced verb stands for, where the pronoun before it takes none: this's, there're.
_FULL = {"'re": "are", "'ve": "have", "'ll": "will", "'s": "is"}
_MODALS = word_set("will, would, can, could, may, might, must, shall, should, ca, wo, sha, 'll, 'd, did, had")
_AUXILIARIES = _MODALS | _TO_PLURAL.keys() | _TO_SINGULAR.keys()
_BE = word_set("be, been, being, is, are, was, were, 's, 're")
#: Participles that follow has, and never is.
_AFTER_HAS = word_set("been, had, got, become")
#: Verbs whose past is like their present.
_SAME_PAST = word_set(
    "put, cut, set, let, hit, hurt, cost, shut, read, quit, spread, split, bet, cast, burst, rid, shed, beat",
    "thrust, upset, wed, broadcast, forecast",
)
_PAST = re.compile(r"[^e]ed")
_CONSONANT_Y = re.compile(r".*[^aeiou]y")
#: What may stand between a subject and its verb, a verb and its predicate.
_PASSED = frozenset(["ADV", "PART"])
_QUANTIFIERS = word_set("all, both, each")
_POSSESSIVE = word_set("my, your, his, her, its, our, their")
_CLAUSE_ENDS = frozenset(".;:?!…()")
#: Object, possessive before a noun, possessive alone, reflexive.
_FORMS = {
    "he": ("him", "his", "his", "himself"),
    "she": ("her", "her", "hers", "herself"),
    "it": ("it", "its", "its", "itself"),
    "they": ("them", "their", "theirs", "themselves"),
    "this": ("it", "its", "its", "itself"),
    "these": ("them", "their", "theirs", "themselves"),
    "you": ("you", "your", "yours", "yourself"),
}


class EnglishSpeller:
    """Writes he, she, it, they, you, this, these and there, with the verb and the reflexive that agree."""

    def __init__(self, analyse: Analyse) -> None:
        self._analyse = analyse

    def write(self, occurrence: Occurrence, label: str, *, tokenized: bool) -> tuple[Edit, str]:  # noqa: ARG002
        """Replace the pronoun and, if the number changes, its verbs; reduced verbs are written out."""
        sentence, place = occurrence.sentence, occurrence.token
        old = fold(occurrence.word)
        if old not in ("that", "those", occurrence.label):
            raise UngrammaticalError(f"{occurrence.word} is part of another word")
        new = _FAR.get(label, label) if old in _FAR.values() else label
        clause = _Clause(occurrence, self._analyse(sentence.tokens))
        changes = {**clause.verbs(label), **clause.reflexive(label), place: new}
        return _edit(sentence, changes), in_case_of(occurrence.word, new)


def english_warnings(occurrence: Occurrence, label: str, analysis: Analysis) -> Iterator[str]:
    """Objects and possessives of the sentence that agree with the old pronoun and not with the new one.

    They may refer to somebody else, so the reader decides.
    """
    old, new = _FORMS.get(occurrence.label), _FORMS.get(label)
    if old is None or new is None or old == new:
        return
    words = occurrence.sentence.tokens
    for place, word in enumerate(words):
        folded = fold(word)
        if folded in old[:3] and folded not in ("it", "you") and folded not in new:
            before_noun = place + 1 < len(words) and analysis.tags[place + 1] in (*NOUNS, "ADJ")
            kind = 1 if folded == old[1] and before_noun else max(old.index(folded), 0)
            yield f"agreement: {word} -> {in_case_of(word, new[kind])}?"


class _Clause:
    """A subject pronoun and its verb, or an error if it is not a subject that can be replaced."""

    def __init__(self, occurrence: Occurrence, analysis: Analysis) -> None:
        self._words = [fold(word) for word in occurrence.sentence.tokens]
        self._place, self._old, self._analysis = occurrence.token, occurrence.label, analysis
        self._tags = analysis.tags
        word, before = self._words[self._place], self._tags[self._place - 1] if self._place else ""
        if self._old in (*_DEMONSTRATIVE, "there", "it", "you") and self._place not in analysis.subjects:
            raise UngrammaticalError(f"{word} may not be a subject")
        if word == "that" and before in (*NOUNS, "PRON", "ADJ"):
            raise UngrammaticalError("that may introduce a relative clause")
        self._verb = self._find_verb()

    def _find_verb(self) -> int | None:
        """The verb before the pronoun in a question, otherwise after it."""
        behind = self._after(self._place + 1)
        verb = behind if behind is not None and self._tags[behind] in VERBS else None
        front = self._place - 1
        if front >= 0 and self._words[front] in ("n't", "not"):
            front -= 1
        if front < 0 or self._words[front] not in _AUXILIARIES or self._tags[front] not in VERBS:
            return verb
        finite = verb is not None and (
            self._words[verb] in _AUXILIARIES
            or self._is_third(verb)
            # The truth is they work: no base form follows be or have.
            or (self._words[front] not in _MODALS | {"do", "does"} and self._is_base(verb))
        )
        return verb if finite else front

    def _after(self, start: int) -> int | None:
        """The first position from `start` that is no adverb."""
        for place in range(start, len(self._words)):
            if self._tags[place] not in _PASSED and self._words[place] not in _QUANTIFIERS:
                return place
        return None

    def _is_third(self, place: int) -> bool:
        """Whether a verb other than the auxiliaries shows the third person singular."""
        word = self._words[place]
        return self._tags[place] == "VERB" and word != "is" and word == third_person(self._base(word, place))

    def _base(self, word: str, place: int) -> str:
        lemma = self._analysis.lemmas[place]
        if len(word) == 4 and word.endswith("ies"):
            return word[:-1]  # dies, lies, ties
        if third_person(lemma) == word:
            return lemma
        if word.endswith("ies"):
            return f"{word[:-3]}y"
        return word[:-2] if third_person(word[:-2]) == word else word[:-1]

    def _is_base(self, place: int) -> bool:
        """Whether a verb form is present plural, or a past form that looks the same."""
        word = self._words[place]
        same = self._analysis.lemmas[place] == word and not _PAST.fullmatch(word[-3:])
        return self._tags[place] == "VERB" and same and word != "be"

    def verbs(self, label: str) -> dict[int, str]:
        """The verbs that change with a new subject, by their position."""
        verb = self._verb
        if label == "there":
            phrase = [] if verb is None else self._words[verb : verb + 4]
            if not _BE.intersection(phrase):
                raise UngrammaticalError("there only occurs before a form of be")
            return self._written_out(label, {})
        plural, was_plural = label in PLURAL, self._old in PLURAL
        if plural == was_plural and self._old != "there":
            return self._written_out(label, {})
        if verb is None:
            raise UngrammaticalError("the number changes, but no verb was found")
        if not plural and _QUANTIFIERS.intersection(self._words[self._place + 1 : verb]):
            raise UngrammaticalError(f"the number changes, and {self._words[self._place + 1]} does not agree")
        changes = {}
        for place in (verb, *self._coordinated(verb, plural=plural)):
            if (new := self._inflected(place, plural=plural)) is not None:
                # Before the pronoun nothing is reduced: what's it -> what are they.
                changes[place] = _FULL.get(new, new) if place < self._place else new
        if changes or self._old != "there":
            self._check_predicate(verb)
        return self._written_out(label, changes)

    def _inflected(self, place: int, *, plural: bool) -> str | None:
        """The form of a verb for a number; None if it has it already."""
        word = self._words[place]
        if word in _MODALS:
            return None
        if plural:
            if word == "'s":
                return self._reduced(place, "'re", "'ve")
            return _TO_PLURAL.get(word) or (self._base(word, place) if self._is_third(place) else None)
        if word in _TO_SINGULAR:
            return _TO_SINGULAR[word]
        if not self._is_base(place):
            return None
        if word in _SAME_PAST:
            raise UngrammaticalError(f"the number changes, but {word} may be past or present")
        return third_person(word)

    def _reduced(self, place: int, be: str, have: str) -> str:
        """The full form of 's: a form of be or of have."""
        behind = self._after(place + 1)
        word = "" if behind is None else self._words[behind]
        if word in _AFTER_HAS:
            return have
        if behind is not None and self._tags[behind] == "VERB" and not word.endswith("ing"):
            raise UngrammaticalError("'s may mean is or has")
        return be

    def _coordinated(self, verb: int, *, plural: bool) -> Iterator[int]:
        """Further verbs of the same subject: it comes and goes."""
        present = self._is_base(verb) or self._words[verb] in ("are", "have", "do", "'re", "'ve")
        for place in range(max(verb, self._place) + 1, len(self._words)):
            if place in self._analysis.subjects or self._tags[place] == "SCONJ":
                return
            word = self._words[place]
            if word[0] in _CLAUSE_ENDS:
                return
            # What follows to or a modal are infinitives, and share it: to come and go.
            present = present and word not in ("to", *_MODALS)
            after = self._after(place + 1)
            if self._tags[place] != "CCONJ" or after is None or after + 1 in self._analysis.subjects:
                continue
            finite = self._words[after] in (_TO_PLURAL if plural else _TO_SINGULAR)
            if finite or (self._is_third(after) if plural else present and self._is_base(after)):
                yield after

    def _check_predicate(self, verb: int) -> None:
        """Raise an error for a noun after be, whose number would have to change, too."""
        place: int | None = max(verb, self._place) + (verb < self._place)
        while place is not None and (self._words[place] in _BE or self._tags[place] == "AUX"):
            place = self._after(place + 1)
        if place is None or not _BE.intersection(self._words[verb:place]):
            return
        for here in range(place, len(self._words)):
            if self._tags[here] in NOUNS:
                raise UngrammaticalError(f"the number changes, and {self._words[here]} does not agree")
            if self._tags[here] not in ("DET", "ADJ", "NUM") and self._words[here] not in _POSSESSIVE:
                return

    def _written_out(self, label: str, changes: Mapping[int, str]) -> dict[int, str]:
        """The changes, with a reduced verb written out if the new pronoun does not allow it."""
        after = self._place + 1
        reduced = changes.get(after, self._words[after] if after < len(self._words) else "")
        takes = {"there": ("'s", "'ll", "'d"), "this": (), "these": ()}
        if label not in takes or reduced in takes[label] or reduced not in (*_FULL, "'d"):
            return dict(changes)
        if reduced == "'d":
            raise UngrammaticalError("'d may mean would or had")
        full = self._reduced(after, "is", "has") if reduced == "'s" else _FULL[reduced]
        return {**changes, after: full}

    def reflexive(self, label: str) -> dict[int, str]:
        """The reflexive pronoun of the clause, if there is one that agrees with the old subject."""
        old = _FORMS.get(self._old, ("",))[-1]
        for place in range(self._place + 1, len(self._words)):
            if place in self._analysis.subjects:
                break
            if self._words[place] == old:
                if label not in _FORMS:
                    raise UngrammaticalError(f"{old} has no counterpart for {label}")
                return {place: _FORMS[label][-1]}
        return {}


def third_person(base: str) -> str:
    """The form of a regular verb for the third person singular."""
    if _CONSONANT_Y.fullmatch(base):
        return f"{base[:-1]}ies"
    return f"{base}es" if base.endswith(("s", "x", "z", "o", "ch", "sh")) else f"{base}s"


def _edit(sentence: Sentence, changes: Mapping[int, str]) -> Edit:
    """One edit from the first to the last changed token; new words take the case of the old ones."""
    first, last = min(changes), max(changes)
    text, end = "", sentence.starts[first]
    for place in range(first, last + 1):
        old, new = sentence.tokens[place], changes.get(place)
        text += sentence.text[end : sentence.starts[place]]
        if new is None:
            text += old
        else:
            apart = not sentence.text[sentence.starts[place] - 1 : sentence.starts[place]].strip()
            # it's -> this is: a full word does not lean on the one before.
            text += " " if new[0].isalpha() and not old[0].isalpha() and not apart else ""
            shown = new.upper() if old.isupper() and len(sentence.tokens[first]) > 1 else in_case_of(old, new)
            text += old[0] + shown[1:] if new[0] == "'" else shown
        end = sentence.span(place).end
    return Edit(Span(sentence.starts[first], end), text)
