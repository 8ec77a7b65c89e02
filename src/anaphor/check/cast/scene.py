"""Who is mentioned, who speaks and who is addressed in each row of a document, according to the cast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
_OPENING, _CLOSING = frozenset('“«„"'), frozenset('”»“"')
_BREAKS = frozenset({",", ".", "!", "?", ";", ":", "…", "...", "—", "–", "-", '"', "“", "”", "«", "»", "„"})
#: Rows back in which a referent or a partner in a dialogue is looked for.
_REACH, _DIALOGUE = 6, 4
#: Rows back in which a member's own name tells who is meant by a name that several share.
_NEAR = 3
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
_SAID = frozenset(
    (
        *("said", "says", "asked", "asks", "replied", "whispered", "shouted", "muttered", "answered", "told"),
        *("called", "cried", "added", "murmured", "laughed", "snapped", "sighed", "yelled", "explained"),
        *("admitted", "agreed", "warned", "began", "continued", "insisted", "announced", "nodded", "smiled"),
        *(
            "begged",
            "pleaded",
            "demanded",
            "suggested",
            "repeated",
            "protested",
            "grumbled",
            "promised",
            "cheered",
        ),
    )
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


class Scene:
    """The rows of one document. Names are found first, then speakers, then whom pronouns refer to."""

    def __init__(self, cast: Cast, block: LinkedBlock, rows: Sequence[int]) -> None:
        self.cast = cast
        self.members = {member.name: member for member in cast.members}
        self.block = block
        self._names = sorted(
            (
                (block.experiment.source.words(name), name)
                for name in {name for member in cast.members for name in member.names}
                | {title for member in cast.members for title in _titles(member)}
            ),
            key=lambda pair: -len(pair[0]),
        )
        self.rows: list[SceneRow] = []
        for row in rows:
            tokens = block.source(row).tokens
            self.rows.append(SceneRow(row, tokens, self._mentions(tokens)))
        for index, scene_row in enumerate(self.rows):
            scene_row.speeches = list(self._speeches(index))
        for index in range(len(self.rows)):
            self._tell_apart(index)
        for index in range(len(self.rows)):
            self._address(index)

    def of(self, names: Iterable[str]) -> list[Member]:
        """The members with these names, in the order of the cast."""
        wanted = set(names)
        return [member for member in self.cast.members if member.name in wanted]

    def _mentions(self, tokens: Sequence[str]) -> list[CastMention]:
        folded = [fold(token) for token in tokens]
        mentions: list[CastMention] = []
        at = 0
        while at < len(tokens):
            mention = next(
                (
                    candidate
                    for words, name in self._names
                    if (candidate := self._mention(tokens, folded, at, words, name)) is not None
                ),
                None,
            )
            if mention is not None:
                mentions.append(mention)
            at = at + 1 if mention is None else mention.end
        return mentions

    def _mention(
        self, tokens: Sequence[str], folded: Sequence[str], at: int, words: Sequence[str], name: str
    ) -> CastMention | None:
        end = at + len(words)
        if end > len(tokens) or folded[at:end] != [fold(word) for word in words]:
            return None
        proper = words[0][:1].isupper()
        if proper and not tokens[at][:1].isupper():
            return None
        called = self.cast.called(name)
        if not called:  # *Captain* from *the captain*, which is a name only where it calls somebody
            before = tokens[at - 1] if at else "."
            after = tokens[end] if end < len(tokens) else "."
            if not {before, after} <= _BREAKS:
                return None
            called = tuple(member for member in self.cast.members if name in _titles(member))
        return CastMention(at, end, frozenset(member.name for member in called), proper)

    def _tell_apart(self, index: int) -> None:
        """Of members who share a name, keep the only one who speaks nearby or whose other name is nearby."""
        row = self.rows[index]
        near: set[str] = set()
        for other in self.rows[max(0, index - _NEAR) : index + 1]:
            near |= {
                name for mention in other.mentions if len(mention.members) == 1 for name in mention.members
            }
            near |= {name for said in other.speeches for name in said.speakers} if other is not row else set()
        speaking = {name for said in row.speeches for name in said.speakers}
        for at, mention in enumerate(row.mentions):
            if len(mention.members) > 1:
                others = mention.members - speaking or mention.members
                # Whoever answers to a name is the one who was called.
                called = any(self._is_vocative(row, mention, said) for said in row.speeches)
                known = (called and others & self._partners(index)) or others & near
                row.mentions[at] = mention._replace(members=known if len(known) == 1 else others)

    def _partners(self, index: int) -> frozenset[str]:
        """The next or previous speaker; nobody if that is the speaker of the row itself."""
        own = self._speaking(index)
        return self._speaking(index + 1) - own or self._speaking(index - 1) - own

    def _speaking(self, index: int) -> frozenset[str]:
        speeches = self.rows[index].speeches if 0 <= index < len(self.rows) else ()
        return frozenset().union(*(said.speakers for said in speeches))

    # Who speaks.

    def _speeches(self, index: int) -> Iterator[Speech]:
        row = self.rows[index]
        unit = self.block.rows[row.row].unit
        if unit.speaker:
            speakers = frozenset(member.name for member in self.cast.called(unit.speaker))
            listeners = frozenset(member.name for member in self.cast.called(unit.listener))
            # A label such as `MIRA:` at the start is no part of what is said.
            yield Speech(0, len(row.tokens), speakers, listeners)
            return
        quotes = list(quoted(row.tokens))
        if not quotes:
            return
        speakers = self._attributed(row, quotes) or self._answering(index, quotes)
        listeners, several = self._told(row, quotes)
        for start, end in quotes:
            yield Speech(start, end, speakers, listeners - speakers, several)

    def _attributed(self, row: SceneRow, quotes: Sequence[tuple[int, int]]) -> frozenset[str]:
        """The speaker according to the words around the quotes: `said Mira`, `she asked`."""

        def outside(position: int) -> bool:
            return not any(start <= position < end for start, end in quotes)

        if (named := self._named_after(row, quotes)) is not None:
            return named.members
        for position, token in enumerate(row.tokens):
            near = row.tokens[max(0, position - 2) : position + 4]
            if not outside(position) or not any(word.lower() in _SAID for word in near):
                continue
            mention = next((m for m in row.mentions if m.start <= position < m.end), None)
            if mention is not None:
                return mention.members
            if token.lower() in ("he", "she", "they"):
                return frozenset(m.name for m in self.referents(row, position, PRONOUNS[token.lower()]))
        return frozenset()

    def _answering(self, index: int, quotes: Sequence[tuple[int, int]]) -> frozenset[str]:
        """Who answers in a row that is only a quotation: the person called in the row before."""
        row = self.rows[index]
        if index == 0 or [(1, len(row.tokens) - 1)] != list(quotes):
            return frozenset()
        before = self.rows[index - 1]
        for said in before.speeches:
            called = said.listeners or frozenset().union(
                *(mention.members for mention in self._vocatives(before, said))
            )
            if len(called) == 1 and said.speakers and not called & said.speakers:
                return called
        return frozenset()

    def _named_after(self, row: SceneRow, quotes: Sequence[tuple[int, int]]) -> CastMention | None:
        """The name right after a quotation with its verb, whichever that is: *” growled Wren*."""
        tags = self.block.source_analysis(row.row).tags
        for _, end in quotes:
            for mention in row.mentions:
                verb = mention.end if mention.start == end + 1 else end + 1
                if mention.start in (end + 1, end + 2) and verb < len(tags) and tags[verb] == "VERB":
                    return mention
        return None

    def _told(self, row: SceneRow, quotes: Sequence[tuple[int, int]]) -> tuple[frozenset[str], bool]:
        """Whom the words around the quotes name as the listener, and whether that is several people:
        *she told him*, *said Mira to Jon*.
        """
        lower = [token.lower() for token in row.tokens]
        told: set[int] = set()
        for verb, word in enumerate(lower):
            if word not in _SAID or any(start <= verb < end for start, end in quotes):
                continue
            for at in range(verb + 1, min(verb + 5, len(lower))):
                if lower[at] in _BREAKS:
                    break
                if lower[at] in ("him", "her", "them"):
                    several = lower[at + 1 : at + 2] in (["both"], ["all"])
                    if several:
                        return frozenset(), True
                    own = self.referents(row, at, PRONOUNS[lower[at]])
                    return frozenset(member.name for member in own), len(own) > 1
                told |= {at} if lower[at - 1] == "to" else set()
        for mention in row.mentions:
            if mention.start in told:
                return mention.members, False
        return frozenset(), False

    def _address(self, index: int) -> None:
        """Fill in the listeners of the speeches of a row."""
        row = self.rows[index]
        row.speeches = [
            speech._replace(
                listeners=frozenset()
                if speech.several
                else speech.listeners or self._listeners(index, speech),
                several=speech.several
                or len({mention.members for mention in self._vocatives(row, speech)}) > 1,
            )
            for speech in row.speeches
        ]

    def _listeners(self, index: int, speech: Speech) -> frozenset[str]:
        row = self.rows[index]
        vocatives = self._vocatives(row, speech)
        if vocatives:
            return frozenset().union(*(mention.members for mention in vocatives)) - speech.speakers
        if not speech.speakers:
            return frozenset()
        # Of several people who talk nearby, nobody knows who is addressed.
        for reach in (1, _DIALOGUE):
            partners = {
                said.speakers
                for other in self.rows[max(0, index - reach) : index + reach + 1]
                for said in other.speeches
                if said.speakers and not said.speakers & speech.speakers
            }
            if partners:
                return next(iter(partners)) if len(partners) == 1 else frozenset()
        return frozenset()

    def _vocatives(self, row: SceneRow, speech: Speech) -> list[CastMention]:
        """Whom a speech calls by name."""
        # What one speaker says in a row may be in several quotes, and only one of them has the name.
        together = [other for other in row.speeches if other.speakers == speech.speakers]
        return [
            mention
            for mention in row.mentions
            if any(self._is_vocative(row, mention, other) for other in together)
        ]

    def _is_vocative(self, row: SceneRow, mention: CastMention, speech: Speech) -> bool:
        if not (speech.start <= mention.start < speech.end) or not mention.proper:
            return False
        before = row.tokens[mention.start - 1] if mention.start > speech.start else ","
        after = row.tokens[mention.end] if mention.end < speech.end else "."
        whole = mention.end - mention.start == speech.end - speech.start
        return before in _BREAKS and after in _BREAKS and (whole or "," in (before, after) or after in "!?")

    # Whom a pronoun refers to.

    def referents(self, row: SceneRow, position: int, kind: str) -> list[Member]:
        """The members that `he`, `she` or `they` may refer to: the nearest ones mentioned."""
        if kind == "they" and _is_counted(row.tokens, position):
            return []
        if (earlier := self._same_subject(row, position)) is not None:
            return self.referents(row, earlier, kind)
        speech = row.speech_at(position)
        present = speech.speakers | speech.listeners if speech else frozenset()
        fitting = frozenset(member.name for member in self.cast.members if member.pronouns == kind)
        eligible = (fitting - present or fitting) - self._subjects_before(row, position)
        before = [mention for mention in row.mentions if mention.end <= position]
        for mention in reversed(before):
            if mention.members & eligible:
                return self.of(mention.members & eligible)
        index = next(index for index, other in enumerate(self.rows) if other is row)
        if kind == "they" and self._several_before(index, position, eligible):
            return []
        # A *they* soon means several people again.
        reach = self._reach_of_they(index) if kind == "they" else _REACH
        for other in reversed(self.rows[max(0, index - reach) : index]):
            members = frozenset().union(*(mention.members for mention in other.mentions)) & eligible
            # Who speaks in a row is as present as who is named in it.
            spoken = frozenset().union(*(said.speakers for said in other.speeches)) & eligible
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
            if last - at > _NEAR:
                break
            if any(PRONOUNS.get(token.lower()) == "they" for token in self.rows[at].tokens):
                last = at
        return index - last + _NEAR

    def _several_before(self, index: int, position: int, eligible: frozenset[str]) -> bool:
        """Whether a plural noun is nearer to a *they* than the last mention of a person it may refer to."""
        word = self.rows[index].tokens[position].lower()
        # A subject goes on being the subject; an object may be any thing that was spoken of.
        reach = _NEAR if word == "them" else 1
        for at in range(index, max(-1, index - reach - 1), -1):
            row = self.rows[at]
            analysis = self.block.source_analysis(row.row)
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
            member.thing and member.pronouns == kind for member in self.cast.members
        ):
            return True
        names = {member.name for member in self.referents(row, position, kind)}
        index = next(index for index, other in enumerate(self.rows) if other is row)
        near = [mention for other in self.rows[max(0, index - 1) : index + 1] for mention in other.mentions]
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
        new = any(row.tokens[at - 1].lower() in _CLAUSES | _BREAKS for at in between)
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
                members = self.referents(row, at, PRONOUNS[before])
                return frozenset(member.name for member in members) if len(members) == 1 else frozenset()
        return frozenset()

    def subject(self, row: SceneRow, position: int, nouns: frozenset[int]) -> tuple[int, list[Member]] | None:
        """The subject before a source token, and its referent; None if that is not a member of the cast.

        `nouns` are the positions of common nouns, which are separate subjects.
        """
        speech = row.speech_at(position)
        tags = self.block.source_analysis(row.row).tags
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
                return at, self.referents(row, at, kind)
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


def _titles(member: Member) -> list[str]:
    """What a member with an alias such as *the captain* is called: *Captain*."""
    nouns = [name.removeprefix("the ") for name in member.names if name.startswith("the ")]
    return [] if member.thing else [noun.capitalize() for noun in nouns if noun.isalpha() and noun.islower()]


def _is_counted(tokens: Sequence[str], position: int) -> bool:
    """Whether a *they* or *them* is certainly plural: *all of them*, *they both*."""
    before = [token.lower() for token in tokens[max(0, position - 2) : position]]
    after = tokens[position + 1].lower() if position + 1 < len(tokens) else ""
    return (before[-1:] == ["of"] and before[0] in _COUNTED) or after in ("all", "both")


def quoted(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Token ranges inside quotation marks; one that is not closed reaches to the end."""
    start: int | None = None
    for position, token in enumerate(tokens):
        if start is None and token[:1] in _OPENING:
            start = position + 1
        elif start is not None and token[:1] in _CLOSING:
            if position > start:
                yield start, position
            start = None
    if start is not None and start < len(tokens):
        yield start, len(tokens)
