"""The nouns of annotation: what is asked, what a person answers, and what comes back when it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple


class Mode(Enum):
    """What a campaign asks for."""

    JUDGE = "judge"
    GAPS = "gaps"
    COMPARE = "compare"


class Mark(Enum):
    """The answer to one of the two questions of PROTEST."""

    YES = "yes"
    NO = "no"
    UNSET = "unset"


class Role(Enum):
    """Annotators see their own assignments and no system; leads see everything."""

    ANNOTATOR = "annotator"
    LEAD = "lead"


class Status(Enum):
    """How far an assignment is. An answer that breaks a rule of `conflicts` is kept as a conflict."""

    NEW = "new"
    DONE = "done"
    CONFLICT = "conflict"


class TokenAt(NamedTuple):
    """A token of a text: its segment, counted over all documents of the suite, and its position in it."""

    segment: int
    token: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a person says of one assignment; every mode uses its own fields and leaves the others empty.

    - `antecedent`, `pronoun`: judging. The first stays unset where the category has no antecedent.
    - `words`: the chosen highlighted words of the translation, ascending.
    - `choices`: gap filling, every choice that would fit, in alphabetical order.
    - `order`: comparison, the slots of the translations from best to worst; equal ones stand together.
    """

    antecedent: Mark = Mark.UNSET
    pronoun: Mark = Mark.UNSET
    words: tuple[TokenAt, ...] = ()
    tags: tuple[str, ...] = ()
    remark: str = ""
    choices: tuple[str, ...] = ()
    order: tuple[tuple[str, ...], ...] = ()

    @property
    def is_empty(self) -> bool:
        return self == Answer()


@dataclass(frozen=True, slots=True)
class Stored:
    """The present answer of an assignment. `version` is 0 and `answer` empty before the first save."""

    assignment: str
    version: int
    answer: Answer
    status: Status
    saved: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """One change in the journal; `before` is None for the first answer. `at` is a time in UTC, ISO 8601.

    `kind` is save, undo, import or merge.
    """

    id: str
    assignment: str
    by: str
    at: str
    kind: str
    version: int
    before: Answer | None
    after: Answer


@dataclass(frozen=True, slots=True)
class Highlight:
    """The words of one translation for the pronoun, and for every antecedent head in their order."""

    pronoun: tuple[TokenAt, ...] = ()
    heads: tuple[tuple[TokenAt, ...], ...] = ()

    @property
    def words(self) -> tuple[TokenAt, ...]:
        """All highlighted words, ascending, each once."""
        return tuple(sorted({*self.pronoun, *(at for head in self.heads for at in head)}))


@dataclass(frozen=True, slots=True)
class Campaign:
    """The facts of a campaign that do not change.

    `tags` are offered for every category; `category_tags` for some only. `choices` are those of gap filling.
    `guidelines` is plain text of the lead's own; empty where the standard ones apply.
    """

    id: str
    name: str
    mode: Mode
    source_language: str
    target_language: str
    suite: str
    suite_digest: str
    created: str
    seed: int
    overlap: float
    batch_size: int
    tags: tuple[str, ...]
    category_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    has_plan: bool = False
    guidelines: str = ""
