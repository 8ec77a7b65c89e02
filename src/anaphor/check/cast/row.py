"""One row of a scene with its translation, as the checks of the cast see it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from anaphor.antecedents import GENDER_NAMES
from anaphor.check.cast.genders import Forms
from anaphor.check.cast.members import Cast, Member
from anaphor.check.cast.referents import POSSESSIVE, CastMention, SceneRow, Speech
from anaphor.check.cast.scene import Scene
from anaphor.check.findings import Finding, Kind
from anaphor.check.verdicts import located
from anaphor.core import Analysis
from anaphor.languages import fold

#: What separates clauses.
CLAUSE_TAGS = frozenset({"PUNCT", "CCONJ", "SCONJ"})
#: Verbs before *her laugh*, and words that are rather verbs after them.
_PERCEIVED = frozenset(
    (
        *("hear", "heard", "see", "saw", "seen", "watch", "watched", "feel", "felt", "let", "make", "made"),
        *("help", "helped"),
    )
)
_ACTIONS = frozenset(
    (
        *(
            "laugh",
            "cry",
            "scream",
            "sleep",
            "work",
            "talk",
            "walk",
            "run",
            "dance",
            "smile",
            "fall",
            "leave",
        ),
        *("breathe", "swim", "play", "dream", "shout", "whisper", "sigh", "cough", "drink", "climb", "cook"),
    )
)


class RowView:
    """The tokens, tags and links of one row on both sides, and whom its words refer to.

    `tokens` and `source_tags` belong to the source, `target`, `folded` and `tags` to the translation.
    `links` and `back` lead from one to the other. A word of the translation has one finding at most.
    """

    def __init__(self, scene: Scene, row: SceneRow, forms: Forms) -> None:
        self._referents, self._row, self._block = scene.referents, row, scene.block
        self.number, self.tokens, self.mentions = row.row, row.tokens, row.mentions
        self.speeches: Sequence[Speech] = row.speeches
        self.cast: Cast = scene.cast
        self.forms = forms
        self.language = self._block.pair.target
        self.target = self._block.target(row.row).tokens
        self.folded = [fold(token) for token in self.target]
        links = self._block.links(row.row)
        self.links, self.back = links.by_source(), links.by_target()
        self.marked: set[int] = set()

    @cached_property
    def analysis(self) -> Analysis:
        """The analysis of the translation."""
        return self._block.target_analysis(self.number)

    @property
    def tags(self) -> Sequence[str]:
        return self.analysis.tags

    @cached_property
    def source_tags(self) -> Sequence[str]:
        return self._block.source_analysis(self.number).tags

    def tag(self, at: int) -> str:
        """The tag of a word of the translation; empty outside it."""
        return self.tags[at] if 0 <= at < len(self.target) else ""

    def word(self, at: int) -> str:
        """A word of the translation in lower case; empty outside it."""
        return self.folded[at] if 0 <= at < len(self.folded) else ""

    # Whom the cast says is meant.

    def members(self, names: Iterable[str]) -> list[Member]:
        return self._referents.of(names)

    def referents(self, at: int, kind: str) -> list[Member]:
        """The members that a source pronoun can refer to."""
        return self._referents.find(self._row, at, kind)

    def is_certain(self, at: int, kind: str) -> bool:
        return self._referents.is_certain(self._row, at, kind)

    def subject(self, at: int, nouns: frozenset[int]) -> tuple[int, list[Member]] | None:
        """The subject of a source word, and the members that it can be."""
        return self._referents.subject(self._row, at, nouns)

    def speech_at(self, at: int) -> Speech | None:
        return self._row.speech_at(at)

    def mention_at(self, at: int) -> CastMention | None:
        return next((mention for mention in self.mentions if mention.start <= at < mention.end), None)

    def is_possessive(self, at: int) -> bool:
        """Whether a source pronoun is a possessive; *her* is one before a noun or its adjectives."""
        word = self.tokens[at].lower()
        if word != "her":
            return word in POSSESSIVE
        following = self.source_tags[at + 1] if at + 1 < len(self.tokens) else ""
        # *found her sitting*, *kept her awake*: what a verb of an object says.
        if at and self.tokens[at - 1].lower() in _PERCEIVED and self.tokens[at + 1].lower() in _ACTIONS:
            return False
        if at + 1 < len(self.tokens) and self.tokens[at + 1].endswith("ing"):
            return self.source_tags[at - 1 : at] != ("VERB",) and following in ("NOUN", "ADJ")
        return following in ("NOUN", "ADJ", "PROPN", "NUM")

    def is_in_cast(self, word: str) -> bool:
        """Whether a word of the translation is part of a name of the cast: *Lindqvist* is no occupation."""
        return fold(word) in self._name_parts

    @cached_property
    def _name_parts(self) -> frozenset[str]:
        return frozenset(
            fold(part)
            for member in self.cast.members
            for part in member.name.split()
            if part[:1].isupper() and not member.thing
        )

    # What a finding says.

    def described(self, members: Iterable[Member]) -> str:
        return " or ".join(member.described(self.language) for member in members)

    def finding(
        self,
        target: int,
        source: int | None,
        members: Sequence[Member],
        reason: str,
        confidence: float,
        *,
        suggestion: str = "",
    ) -> Finding:
        """A finding about a word of the translation, which is marked; less probable if several members may be
        meant.
        """
        self.marked.add(target)
        return located(
            self._block.rows[self.number],
            kind=Kind.CAST,
            source_span=None if source is None else self._block.source(self.number).span(source),
            target_span=self._block.target(self.number).span(target),
            refers_to=" or ".join(member.name for member in members),
            reason=reason,
            suggestion=suggestion,
            confidence=confidence - 0.05 * (len(members) > 1),
        )


def is_name(word: str, name: Sequence[str]) -> bool:
    """Whether a word of the translation begins like a part of a name."""
    return any(fold(word)[:4] == fold(part)[:4] for part in name if part[:1].isupper())


def described_genders(genders: Iterable[str]) -> str:
    """A description of the genders that a form shows."""
    names = {**GENDER_NAMES, "p": "plural", "y": "an address", "-": "for somebody who is *they*"}
    return " or ".join(names[gender] for gender in sorted(genders) if gender != "y")
