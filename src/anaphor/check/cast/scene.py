"""Who is mentioned, who speaks and who is addressed in each row of a document, according to the cast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphor.check.cast.genders import english_words
from anaphor.check.cast.members import Cast, Member
from anaphor.check.cast.referents import BREAKS, NEAR, PRONOUNS, CastMention, CastReferents, SceneRow, Speech
from anaphor.check.linking import LinkedBlock
from anaphor.languages import fold

_OPENING, _CLOSING = frozenset('“«„"'), frozenset('”»“"')
#: Rows around a speech in which its listener speaks.
_DIALOGUE = 4
_SPEECH_VERBS = english_words("speech_verbs")


class Scene:
    """The rows of one document. Names are found first, then speakers, then listeners."""

    def __init__(self, cast: Cast, block: LinkedBlock, rows: Sequence[int]) -> None:
        self.cast = cast
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
        self.referents = CastReferents(cast, block, self.rows)
        for row in rows:
            tokens = block.source(row).tokens
            self.rows.append(SceneRow(row, tokens, self._mentions(tokens)))
        for index, scene_row in enumerate(self.rows):
            scene_row.speeches = list(self._speeches(index))
        for index in range(len(self.rows)):
            self._tell_apart(index)
        for index in range(len(self.rows)):
            self._guess_speaker(index)
        for index in range(len(self.rows)):
            self._address(index)

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
            if not {before, after} <= BREAKS:
                return None
            called = tuple(member for member in self.cast.members if name in _titles(member))
        return CastMention(at, end, frozenset(member.name for member in called), proper)

    def _tell_apart(self, index: int) -> None:
        """Of members who share a name, keep the only one who speaks nearby or whose other name is nearby."""
        row = self.rows[index]
        near: set[str] = set()
        for other in self.rows[max(0, index - NEAR) : index + 1]:
            near |= {
                name for mention in other.mentions if len(mention.members) == 1 for name in mention.members
            }
            if other is not row:
                near |= {name for speech in other.speeches for name in speech.speakers}
        speaking = {name for speech in row.speeches for name in speech.speakers}
        for at, mention in enumerate(row.mentions):
            if len(mention.members) > 1:
                others = mention.members - speaking or mention.members
                # Whoever answers to a name is the one who was called.
                called = any(self._is_vocative(row, mention, speech) for speech in row.speeches)
                known = (called and others & self._partners(index)) or others & near
                row.mentions[at] = mention._replace(members=known if len(known) == 1 else others)

    def _partners(self, index: int) -> frozenset[str]:
        """The next or previous speaker; nobody if that is the speaker of the row itself."""
        own = self._speaking(index)
        return self._speaking(index + 1) - own or self._speaking(index - 1) - own

    def _speaking(self, index: int) -> frozenset[str]:
        speeches = self.rows[index].speeches if 0 <= index < len(self.rows) else ()
        return frozenset().union(*(speech.speakers for speech in speeches))

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
        listeners, several = self._named_listeners(row, quotes)
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
            if not outside(position) or not any(word.lower() in _SPEECH_VERBS for word in near):
                continue
            mention = next((m for m in row.mentions if m.start <= position < m.end), None)
            if mention is not None:
                return mention.members
            if token.lower() in ("he", "she", "they"):
                return frozenset(m.name for m in self.referents.find(row, position, PRONOUNS[token.lower()]))
        return frozenset()

    def _answering(self, index: int, quotes: Sequence[tuple[int, int]]) -> frozenset[str]:
        """Who answers in a row that is only a quotation: the person called in the row before."""
        row = self.rows[index]
        if index == 0 or [(1, len(row.tokens) - 1)] != list(quotes):
            return frozenset()
        before = self.rows[index - 1]
        for speech in before.speeches:
            called = speech.listeners or frozenset().union(
                *(mention.members for mention in self._vocatives(before, speech))
            )
            if len(called) == 1 and not called & speech.speakers:
                return called
        return frozenset()

    def _guess_speaker(self, index: int) -> None:
        """Fill in who speaks in a row that is only a quotation and calls somebody, if it is unknown:
        the person called in the answer, or the only person who was just named.
        """
        row = self.rows[index]
        whole = [(speech.start, speech.end) for speech in row.speeches] == [(1, len(row.tokens) - 1)]
        if not whole or row.speeches[0].speakers:
            return
        called = self._called(row)
        if len(called) != 1:
            return
        speakers: frozenset[str] = frozenset()
        if self._speaking(index + 1) == called:
            speakers = self._called(self.rows[index + 1]) - called
        if not speakers:
            before = self.rows[max(0, index - 1) : index]
            narrated = [mention for other in before if not other.speeches for mention in other.mentions]
            things = {member.name for member in self.cast.members if member.thing}
            speakers = frozenset().union(*(mention.members for mention in narrated)) - called - things
        if len(speakers) == 1:
            row.speeches[0] = row.speeches[0]._replace(speakers=speakers)

    def _called(self, row: SceneRow) -> frozenset[str]:
        """Whom the speeches of a row call by name."""
        vocatives = (mention for speech in row.speeches for mention in self._vocatives(row, speech))
        return frozenset().union(*(mention.members for mention in vocatives))

    def _named_after(self, row: SceneRow, quotes: Sequence[tuple[int, int]]) -> CastMention | None:
        """The name right after a quotation with its verb, whichever that is: *” growled Wren*."""
        tags = self.block.source_analysis(row.row).tags
        for _, end in quotes:
            for mention in row.mentions:
                verb = mention.end if mention.start == end + 1 else end + 1
                if mention.start in (end + 1, end + 2) and verb < len(tags) and tags[verb] == "VERB":
                    return mention
        return None

    def _named_listeners(
        self, row: SceneRow, quotes: Sequence[tuple[int, int]]
    ) -> tuple[frozenset[str], bool]:
        """Whom the words around the quotes name as the listener, and whether that is several people:
        *she told him*, *said Mira to Jon*.
        """
        lower = [token.lower() for token in row.tokens]
        addressed: set[int] = set()
        for verb, word in enumerate(lower):
            if word not in _SPEECH_VERBS or any(start <= verb < end for start, end in quotes):
                continue
            for at in range(verb + 1, min(verb + 5, len(lower))):
                if lower[at] in BREAKS:
                    break
                if lower[at] in ("him", "her", "them"):
                    several = lower[at + 1 : at + 2] in (["both"], ["all"])
                    if several:
                        return frozenset(), True
                    own = self.referents.find(row, at, PRONOUNS[lower[at]])
                    return frozenset(member.name for member in own), len(own) > 1
                addressed |= {at} if lower[at - 1] == "to" else set()
        for mention in row.mentions:
            if mention.start in addressed:
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
                nearby.speakers
                for other in self.rows[max(0, index - reach) : index + reach + 1]
                for nearby in other.speeches
                if nearby.speakers and not nearby.speakers & speech.speakers
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
        return before in BREAKS and after in BREAKS and (whole or "," in (before, after) or after in "!?")


def _titles(member: Member) -> list[str]:
    """What a member with an alias such as *the captain* is called: *Captain*."""
    nouns = [name.removeprefix("the ") for name in member.names if name.startswith("the ")]
    return [] if member.thing else [noun.capitalize() for noun in nouns if noun.isalpha() and noun.islower()]


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
