"""Whom the pronouns of a document refer to among the members of its cast."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from anaphor.check.cast.members import Cast, Member
from anaphor.check.linking import LinkedBlock
from anaphor.languages import fold

#: English pronouns by whom they stand for.
PRONOUNS = {
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themself", "themselves"), "they"),
    **dict.fromkeys(("it", "its", "itself"), "it"),
}
POSSESSIVE = frozenset({"his", "her", "hers", "their", "theirs", "its"})
#: What a name that calls somebody stands between.
BREAKS = frozenset({",", ".", "!", "?", ";", ":", "…", "...", "—", "–", "-", '"', "“", "”", "«", "»", "„"})
#: Rows back in which a referent is looked for.
_REACH = 6
#: Rows back in which a name still tells who is meant.
NEAR = 3
#: Before *of them*.
_COUNTED = frozenset(
    (
        *("all", "both", "some", "many", "most", "none", "neither", "either", "each", "one", "any", "few"),
        *("two", "three", "four", "five", "six", "half", "several", "those"),
    )
)
#: What begins another clause: its subject may be the object of this one.
_CLAUSES = frozenset(
    {",", ";", ":", ".", "!", "?", "and", "but", "that", "when", "because", "if", "who", "while", "so"}
)
_OBJECTS = POSSESSIVE | {"him", "them", "it", "himself", "herself"}
#: Plural nouns that nobody refers to with *they*.
_UNITS = frozenset(
    {"second", "minute", "hour", "day", "week", "month", "year", "time", "mile", "step", "moment", "word"}
)


class CastMention(NamedTuple):
    """Tokens of a source that name one of several members."""

    start: int
    end: int
    members: frozenset[str]
    proper: bool


class Speech(NamedTuple):
    """Source tokens of one speech, with speakers and listeners; empty sets if unknown."""

    start: int
    end: int
    speakers: frozenset[str]
    listeners: frozenset[str]
    #: Whether it calls several people by their names, so that nobody of them is addressed alone.
    several: bool = False


@dataclass
class SceneRow:
    """One row with its mentions and speeches."""

    row: int
    tokens: Sequence[str]
    mentions: list[CastMention]
    speeches: list[Speech] = field(default_factory=list)

    def speech_at(self, position: int) -> Speech | None:
        """The speech that a token belongs to."""
        return next((speech for speech in self.speeches if speech.start <= position < speech.end), None)


class CastReferents:
    """Whom the words of the rows of one document refer to."""

    def __init__(self, cast: Cast, block: LinkedBlock, rows: Sequence[SceneRow]) -> None:
        self._cast, self._block, self._rows = cast, block, rows

    def of(self, names: Iterable[str]) -> list[Member]:
        """The members with these names, in the order of the cast."""
        wanted = set(names)
        return [member for member in self._cast.members if member.name in wanted]

    def find(self, row: SceneRow, position: int, kind: str) -> list[Member]:
        """The members that `he`, `she` or `they` may refer to: the nearest ones mentioned."""
        if kind == "they" and _is_counted(row.tokens, position):
            return []
        if (earlier := self._same_subject(row, position)) is not None:
            return self.find(row, earlier, kind)
        speech = row.speech_at(position)
        present = speech.speakers | speech.listeners if speech else frozenset()
        fitting = frozenset(member.name for member in self._cast.members if member.pronouns == kind)
        eligible = (fitting - present or fitting) - self._subjects_before(row, position)
        before = [mention for mention in row.mentions if mention.end <= position]
        for mention in reversed(before):
            if mention.members & eligible:
                return self.of(mention.members & eligible)
        index = next(index for index, other in enumerate(self._rows) if other is row)
        if kind == "they" and self._several_before(index, position, eligible):
            return []
        # A *they* soon means several people again.
        reach = self._reach_of_they(index) if kind == "they" else _REACH
        for other in reversed(self._rows[max(0, index - reach) : index]):
            members = frozenset().union(*(mention.members for mention in other.mentions)) & eligible
            # Who speaks in a row is as present as who is named in it.
            spoken = frozenset().union(*(nearby.speakers for nearby in other.speeches)) & eligible
            if members or (speech is None and spoken):
                return self.of(members or spoken)
        after = frozenset().union(*(mention.members for mention in row.mentions)) & eligible
        if kind == "they":
            return self.of(after)
        return self.of(after or eligible)

    def _reach_of_they(self, index: int) -> int:
        """Rows back in which a *they* has its name: it goes on through rows that have a *they*."""
        last = index
        for at in range(index - 1, -1, -1):
            if last - at > NEAR:
                break
            if any(PRONOUNS.get(token.lower()) == "they" for token in self._rows[at].tokens):
                last = at
        return index - last + NEAR

    def _several_before(self, index: int, position: int, eligible: frozenset[str]) -> bool:
        """Whether a plural noun is nearer to a *they* than the last mention of a person it may refer to."""
        word = self._rows[index].tokens[position].lower()
        # A subject goes on being the subject; an object may be any thing that was spoken of.
        reach = NEAR if word == "them" else 1
        for at in range(index, max(-1, index - reach - 1), -1):
            row = self._rows[at]
            analysis = self._block.source_analysis(row.row)
            end = position if at == index else len(row.tokens)
            if any(mention.members & eligible for mention in row.mentions if mention.end <= end):
                return False
            for noun in range(end):
                own = noun and row.tokens[noun - 1].lower() in POSSESSIVE
                plural = analysis.tags[noun] == "NOUN" and fold(row.tokens[noun]) != fold(
                    analysis.lemmas[noun]
                )
                if plural and not own and fold(analysis.lemmas[noun]) not in _UNITS:
                    return True
        return False

    def is_certain(self, row: SceneRow, position: int, kind: str) -> bool:
        """Whether a pronoun can only refer to this member, named in this or the preceding row. A thing called
        *she* may be meant anywhere in a dialogue that takes place near it.
        """
        if row.speech_at(position) is None or not any(
            member.thing and member.pronouns == kind for member in self._cast.members
        ):
            return True
        names = {member.name for member in self.find(row, position, kind)}
        index = next(index for index, other in enumerate(self._rows) if other is row)
        near = [mention for other in self._rows[max(0, index - 1) : index + 1] for mention in other.mentions]
        return any(mention.members & names for mention in near)

    def _same_subject(self, row: SceneRow, position: int) -> int | None:
        """An earlier *he* or *she* that goes on as the subject: *she waved at Dolly, and she laughed*."""
        word = row.tokens[position].lower()
        if word not in ("he", "she"):
            return None
        earlier = next((at for at in range(position - 1, -1, -1) if row.tokens[at].lower() == word), None)
        if earlier is None or row.speech_at(earlier) != row.speech_at(position):
            return None
        # A name that begins a clause is a new subject.
        between = [mention.start for mention in row.mentions if earlier < mention.start < position]
        new = any(row.tokens[at - 1].lower() in _CLAUSES | BREAKS for at in between)
        return None if new else earlier

    def _subjects_before(self, row: SceneRow, position: int) -> frozenset[str]:
        """Members that an object cannot refer to: the subject of its own clause."""
        word = row.tokens[position].lower()
        if word not in ("him", "her", "them"):
            return frozenset()
        for at in range(position - 1, -1, -1):
            before = row.tokens[at].lower()
            if before in _CLAUSES:
                break
            if before in ("he", "she", "they") and PRONOUNS[before] == PRONOUNS[word]:
                members = self.find(row, at, PRONOUNS[before])
                return frozenset(member.name for member in members) if len(members) == 1 else frozenset()
        return frozenset()

    def subject(self, row: SceneRow, position: int, nouns: frozenset[int]) -> tuple[int, list[Member]] | None:
        """The subject before a source token, and its referent; None if that is not a member of the cast.

        `nouns` are the positions of common nouns, which are separate subjects.
        """
        speech = row.speech_at(position)
        tags = self._block.source_analysis(row.row).tags
        joined = False
        for at in range(position - 1, -1, -1):
            word = row.tokens[at].lower()
            if speech is not None and at < speech.start:
                return None
            # *Hale emptied her glass and fell asleep*: the object of the first verb is no subject.
            joined = joined or (word in ("and", "but", "or") and tags[at + 1 : at + 2] == ("VERB",))
            if joined and at and (at in nouns or word in _OBJECTS) and tags[at - 1] != "PUNCT":
                continue
            mention = next((m for m in row.mentions if m.start <= at < m.end), None)
            if mention is not None:
                if at > 0 and row.tokens[mention.start - 1].lower() in (
                    "of",
                    "with",
                    "to",
                    "for",
                    "and",
                    "than",
                ):
                    return None
                return at, self.of(mention.members)
            if word in ("i", "you"):
                if speech is None:
                    return None
                return at, self.of(speech.speakers if word == "i" else speech.listeners)
            kind = PRONOUNS.get(word)
            if kind in ("he", "she", "they") and word in ("he", "she", "they"):
                return at, self.find(row, at, kind)
            if kind is not None or word in (
                "we",
                "who",
                "that",
                "which",
                "this",
                "these",
                "those",
                "everyone",
            ):
                return None
            if at in nouns or word in (";", ":", ".", "!", "?"):
                return None
        return None


def _is_counted(tokens: Sequence[str], position: int) -> bool:
    """Whether a *they* or *them* is certainly plural: *all of them*, *they both*."""
    before = [token.lower() for token in tokens[max(0, position - 2) : position]]
    after = tokens[position + 1].lower() if position + 1 < len(tokens) else ""
    return (before[-1:] == ["of"] and before[0] in _COUNTED) or after in ("all", "both")
