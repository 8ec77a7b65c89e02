"""Mentions: the noun phrases and pronouns of a sentence that a later pronoun may refer to."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from anaphor.analyse.gender import Readings
from anaphor.antecedents.source import SourceLanguage
from anaphor.core import Analysis
from anaphor.core.text import NOUNS, VERBS

Kind = Literal["noun", "name", "pronoun"]
Role = Literal["subject", "object", "preposition", "of", "possessor", "conjunct", "other"]

#: How many mentions of one sentence are candidates of a pronoun, nearest first. Sentences of a few hundred
#: words have fewer; without a limit, time would grow with the square of the length of a text in one line.
NEAREST = 300
QUOTES = frozenset("\"“”``''«»")
_MODIFIERS = frozenset({"ADJ", "NUM", "NOUN", "PROPN", "DET"})
#: English nouns that are plural without an -s, or differ from a lemma that the analyser does not know.
_PLURALS = frozenset(
    {"people", "police", "children", "men", "women", "mice", "feet", "teeth", "data", "media"}
)


class Mention(NamedTuple):
    """The head of a noun phrase, or a pronoun.

    `sentence` and `position` locate the head; `start` is the first word of the phrase, `order` its number
    among the noun phrases of the sentence (0 for pronouns). `neutral` is a pronoun such as *this*, which
    names a thing or an event. `readings` are gender and number in a language with genders. `group` marks a
    team, a company or the like, which *they* can refer to. `coordinated` marks the first of several nouns,
    *cats* in *cats and dogs*, which a plural may refer to together.
    """

    sentence: int
    position: int
    start: int
    kind: Kind
    form: str
    lemma: str
    plural: bool
    determiner: str
    role: Role
    order: int
    neutral: bool = False
    readings: Readings = frozenset()
    group: bool = False
    coordinated: bool = False


class Line(NamedTuple):
    """What lies between a pronoun and the mentions before it, counted once for all pronouns of a sentence.

    `words` are in lower case, `verbs` the number of verbs before each word and before the end; `quotes` and
    `boundaries` are the positions of quotation marks and of words that begin a clause.
    """

    words: list[str]
    verbs: list[int]
    quotes: list[int]
    boundaries: list[int]

    @classmethod
    def of(cls, tokens: Sequence[str], analysis: Analysis, language: SourceLanguage) -> Line:
        words = [token.lower() for token in tokens]
        verbs = accumulate((tag in VERBS for tag in analysis.tags), initial=0)
        quotes = [at for at, word in enumerate(words) if word in QUOTES]
        boundaries = [at for at, word in enumerate(words) if word in language.clause_boundaries]
        return cls(words, [*verbs], quotes, boundaries)

    def boundary_before(self, position: int) -> int:
        """The nearest word before a position that begins a clause; -1 if there is none."""
        before = bisect_left(self.boundaries, position)
        return self.boundaries[before - 1] if before else -1


def find_mentions(
    sentence: int, tokens: Sequence[str], analysis: Analysis, language: SourceLanguage
) -> list[Mention]:
    """The mentions of a sentence from left to right."""
    words = [token.lower() for token in tokens]
    tags = analysis.tags
    mentions: list[Mention] = []
    nouns = 0
    for position, (word, tag) in enumerate(zip(words, tags, strict=True)):
        following = tags[position + 1] if position + 1 < len(tags) else ""
        lemma = analysis.lemmas[position].lower()
        # In a compound such as *space time* only the last noun is a head; clitics are sometimes tagged as
        # nouns.
        noun = tag in NOUNS and following not in NOUNS and word not in ("'s", "’s", "%")
        if noun or (language.indefinite and _stands_for_noun(position, words, tags, language)):
            start = _phrase_start(words, tags, position, language.possessive)
            readings = language.genders.listed_readings(tokens, position) if language.genders else frozenset()
            plural = word in _PLURALS or (word.endswith("s") and not word.endswith("ss") and word != lemma)
            if language.genders:
                plural = {reading.number for reading in readings} == {"p"}
            nouns += 1
            mentions.append(
                Mention(
                    sentence=sentence,
                    position=position,
                    start=start,
                    kind="name" if tag == "PROPN" and noun else "noun",
                    form=tokens[position],
                    lemma=lemma,
                    plural=plural,
                    determiner=words[start]
                    if tags[start] in ("DET", "NUM") or words[start] in language.possessive
                    else "",
                    role=_role(words, analysis, start=start, head=position, of=language.of),
                    order=nouns,
                    readings=readings,
                    group=lemma in language.groups or (tag == "PROPN" and word != tokens[position]),
                    coordinated=bool(language.indefinite) and _coordinated(words, tags, position),
                )
            )
        elif word in language.referring and (tag == "PRON" or word in ("its", "their")):
            # *this* before a noun is a determiner, whatever the tagger says.
            if word in language.demonstrative and (following in NOUNS or following == "ADJ"):
                continue
            role = pronoun_role(word, position, analysis)
            readings = language.pronoun_readings(tokens, tags, position)
            plural = word in language.plural or {reading.number for reading in readings} == {"p"}
            facts = (plural, "", role, 0, word in language.neutral, readings)
            mentions.append(Mention(sentence, position, position, "pronoun", word, word, *facts))
    return mentions


def quantified(
    mentions: Sequence[Mention], tokens: Sequence[str], language: SourceLanguage
) -> dict[Mention, Mention]:
    """The nouns meant by nouns that only quantify them: *ice* for *lot* in *a lot of ice*."""
    starts = {mention.start: mention for mention in mentions if mention.kind != "pronoun"}
    found = {}
    for mention in mentions:
        after = mention.position + 1
        if mention.kind == "noun" and mention.lemma in language.quantities and after < len(tokens):
            meant = starts.get(after + 1 if tokens[after].lower() in language.of else after)
            if meant is not None:
                found[mention] = meant
    return found


def _stands_for_noun(
    position: int, words: Sequence[str], tags: Sequence[str], language: SourceLanguage
) -> bool:
    """Whether a word not tagged as a noun is the head of a phrase: *everybody*, *the third one*.

    This includes numerals after a determiner (*these three*) and words that only look like verbs (*this
    show*).
    """
    word, tag = words[position], tags[position]
    if word in language.indefinite:
        return True
    before = tags[position - 1] if position else ""
    following = tags[position + 1] if position + 1 < len(tags) else ""
    if following in (*NOUNS, "ADJ", "NUM") and tag != "VERB":
        return False
    if word in ("one", "ones"):
        return word == "ones" or before in ("ADJ", "DET", "NUM") or tag == "NOUN"
    if tag == "NUM":
        return before == "DET" and words[position - 1] not in ("no", "a")
    article = before == "DET" and words[position - 1] in ("the", "a", "an", "this")
    return tag == "VERB" and following not in NOUNS and article


def _coordinated(words: Sequence[str], tags: Sequence[str], head: int) -> bool:
    """Whether a noun is followed by *and* and another noun, possibly with nouns and commas in between."""
    at = head + 1
    while at < min(head + 8, len(tags)):
        if words[at] == "and":
            after = range(at + 1, min(at + 5, len(tags)))
            first = next((position for position in after if tags[position] not in _MODIFIERS - NOUNS), None)
            return first is not None and tags[first] in NOUNS
        if tags[at] not in _MODIFIERS and words[at] != ",":
            return False
        at += 1
    return False


def pronoun_role(word: str, position: int, analysis: Analysis) -> Role:
    """The role of a resolved pronoun."""
    if position in analysis.subjects:
        return "subject"
    return "possessor" if word in ("its", "their") else "object"


def _phrase_start(words: Sequence[str], tags: Sequence[str], head: int, possessive: frozenset[str]) -> int:
    """The first word of a noun phrase, given its head: its modifiers and the preceding article."""
    start = head
    while start > 0 and (
        tags[start - 1] in _MODIFIERS
        or words[start - 1] in possessive
        or (tags[start - 1] == "ADV" and start > 1 and tags[start - 2] == "DET")
    ):
        start -= 1
    return start


def _role(words: Sequence[str], analysis: Analysis, *, start: int, head: int, of: frozenset[str]) -> Role:
    """The role of the phrase in its clause, from the words around it, since the analyser produces no tree."""
    if any(position in analysis.subjects for position in range(start, head + 1)):
        return "subject"
    before = analysis.tags[start - 1] if start else ""
    if start and words[start - 1] in of:
        return "of"
    if before == "ADP":
        return "preposition"
    if before in VERBS:
        return "object"
    if head + 1 < len(words) and words[head + 1] in ("'s", "’s", "'"):
        return "possessor"
    return "conjunct" if before == "CCONJ" else "other"


def names_something(position: int, tokens: Sequence[str], analysis: Analysis) -> bool:
    """Whether a pronoun is the subject of a form of *be* with a noun: *they are the sounds of space*.

    Languages with gender use a neutral form there, regardless of the noun: *das sind*, *ce sont*.
    """
    tags, rest = analysis.tags, range(position + 2, len(tokens))
    if position + 1 >= len(tokens) or analysis.lemmas[position + 1].lower() != "be":
        return False
    following = next(
        (position for position in rest if tags[position] not in ("ADV", "ADJ", "NUM", "PART")), None
    )
    return following is not None and tags[following] in (*NOUNS, "DET")
