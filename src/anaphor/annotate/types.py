"""The types of annotation: questions, answers of annotators, and database results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct, to_builtins
from msgspec.json import Decoder

MAX_REMARK = 4000
MAX_TAG = 60
MAX_TAGS = 30
#: More highlighted words, choices or slots than any item has.
MAX_PARTS = 1000

Index = Annotated[int, Meta(ge=0, lt=2**31)]
Tag = Annotated[str, Meta(max_length=MAX_TAG)]
Tags = Annotated[tuple[Tag, ...], Meta(max_length=MAX_PARTS)]


class Mode(Enum):
    """The question of a campaign."""

    JUDGE = "judge"
    GAPS = "gaps"
    COMPARE = "compare"


class Mark(Enum):
    """The answer to one of the two questions of PROTEST; `unclear` says that it cannot be judged."""

    YES = "yes"
    NO = "no"
    UNCLEAR = "unclear"
    UNSET = "unset"


class PersonRole(Enum):
    """Annotators see only their own assignments and no system names; leads see everything."""

    ANNOTATOR = "annotator"
    LEAD = "lead"


class Status(Enum):
    """The state of an assignment; an answer that breaks a consistency rule is a conflict."""

    NEW = "new"
    DONE = "done"
    CONFLICT = "conflict"


class TokenAt(NamedTuple):
    """A token of a text: its segment, counted over all documents of the suite, and its position in it."""

    segment: Index
    token: Index


class AnnotatorAnswer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to one assignment; every mode uses its own fields and leaves the others empty.

    - `antecedent`, `pronoun`: judging. The first is unset if the category has no antecedent.
    - `words`: the selected highlighted words of the translation, ascending.
    - `rendering`: judging, the words that translate the pronoun where the frame was corrected, ascending;
      empty if none does, None if the frame stays as it is.
    - `choices`: gap filling, every choice that fits, in alphabetical order.
    - `order`: comparison, the slots of the translations from best to worst; ties share a group.

    The limits of the types match those of `answer_json.parse_answer` and the pages.
    """

    antecedent: Mark = Mark.UNSET
    pronoun: Mark = Mark.UNSET
    words: Annotated[tuple[TokenAt, ...], Meta(max_length=MAX_PARTS)] = ()
    rendering: Annotated[tuple[TokenAt, ...], Meta(max_length=MAX_PARTS)] | None = None
    tags: Tags = ()
    remark: Annotated[str, Meta(max_length=MAX_REMARK)] = ""
    choices: Tags = ()
    order: Annotated[tuple[Tags, ...], Meta(max_length=MAX_PARTS)] = ()

    @property
    def is_empty(self) -> bool:
        return self == AnnotatorAnswer()


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The current answer of an assignment. `version` is 0 and `answer` empty before the first save.

    The answer to practice gets a reply before the next item follows. `is_known` is true if the correct answer
    is known, as in practice and attention items. `suggestion` is the guess shown after an answer.
    """

    assignment: str
    version: int
    answer: AnnotatorAnswer
    status: Status
    saved: str | None
    is_practice: bool = False
    is_known: bool = False
    suggestion: Mark = Mark.UNSET

    @property
    def is_doubted(self) -> bool:
        """Whether the guess shown now contradicts a first answer."""
        said = self.answer.pronoun
        doubts = self.suggestion is not Mark.UNSET and said in (Mark.YES, Mark.NO)
        return doubts and self.version == 1 and said is not self.suggestion


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One change in the journal; `before` is None for the first answer. `at` is a UTC time in ISO 8601.

    `kind` is save, undo, import or merge; or conflict, for an answer that met a newer one and was stored
    separately (`version` is then the one its author had seen, and `before` is None).
    """

    id: str
    assignment: str
    by: str
    at: str
    kind: str
    version: int
    before: AnnotatorAnswer | None
    after: AnnotatorAnswer


@dataclass(frozen=True, slots=True)
class ConflictingAnswer:
    """An answer that conflicts with a newer one, until its author chooses. `version` is the one the author
    had seen.
    """

    id: str
    assignment: str
    position: int
    at: str
    version: int
    answer: AnnotatorAnswer
    seconds: float | None


class Highlight(Struct, frozen=True):
    """The tokens of the pronoun, and of every antecedent head in order, in the source or in a translation."""

    pronoun: tuple[TokenAt, ...] = ()
    heads: tuple[tuple[TokenAt, ...], ...] = ()

    @property
    def words(self) -> tuple[TokenAt, ...]:
        """All highlighted tokens, ascending, without duplicates."""
        return tuple(sorted({*self.pronoun, *self.head_words}))

    def corrected(self, answer: AnnotatorAnswer) -> Highlight:
        """The same with the words for the pronoun that an answer names, if it corrects them."""
        return self if answer.rendering is None else Highlight(answer.rendering, self.heads)

    @property
    def head_words(self) -> tuple[TokenAt, ...]:
        """The tokens of all heads, head by head."""
        return tuple(at for head in self.heads for at in head)


class Target(Struct, frozen=True):
    """One system's translation in a unit: the system's id, its highlighted words, the automatic outcome.

    `guess` is what the automatic verdict says, `yes` or `no`, for campaigns with suggestions; else empty.
    """

    system: str
    highlight: Highlight
    outcome: str
    guess: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignOptions:
    """What a campaign is created with and keeps unchanged.

    - `mismatches_only`: examples that the automatic check calls right are left out.
    - `adaptive`: annotators next see the example whose judgement improves the estimate most.
    - `guidelines`, `consent`: Markdown shown before the first item: a replacement for the standard
      guidelines, and a text that annotators must agree to; empty for none.
    - `language`: the language of the interface; empty to follow the browser.
    - `practice_required`, `attention_limit`: the share of practice items that must be right, and the number
      of wrong attention items at which an annotator is stopped; 0 for no limit.
    - `advance`: the page moves on as soon as the answer is complete.
    - `suggestions`, `suggestion_share`: when guesses of the automatic verdict are shown, `before` or `after`
      an answer, empty for never; and for which share of the work, at random. The rest is the control.
    - `completion_code`, `completion_url`: the code and return address that a crowd platform expects from
      those who have finished; empty for none.
    - `study_people`: the number of people who may join through the link that a crowd platform gives to all
      participants.
    """

    mismatches_only: bool = False
    adaptive: bool = False
    guidelines: str = ""
    consent: str = ""
    language: str = ""
    practice_required: float = 0.0
    attention_limit: int = 0
    advance: bool = False
    suggestions: str = ""
    suggestion_share: float = 0.5
    completion_code: str = ""
    completion_url: str = ""
    study_people: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign(CampaignOptions):
    """The fixed properties of a campaign.

    `tags` are offered for every category, `category_tags` only for some. `choices` are those of gap
    filling. `study_token` is the secret of the link by which people join, empty without one.
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
    category_tags: Mapping[str, tuple[str, ...]]
    choices: tuple[str, ...]
    raters: int | None = None
    study_token: str = ""


def targets_json(targets: Sequence[Target]) -> str:
    """The targets of a unit in the form stored in the database."""
    content = [
        {"system": target.system, **to_builtins(target.highlight), "outcome": target.outcome}
        | ({"guess": target.guess} if target.guess else {})
        for target in targets
    ]
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


class _StoredTarget(Struct):
    system: str
    outcome: str
    pronoun: tuple[TokenAt, ...] = ()
    heads: tuple[tuple[TokenAt, ...], ...] = ()
    guess: str = ""


_TARGETS = Decoder(tuple[_StoredTarget, ...])


def read_targets(text: str) -> tuple[Target, ...]:
    stored = _TARGETS.decode(text)
    return tuple(
        Target(target.system, Highlight(target.pronoun, target.heads), target.outcome, target.guess)
        for target in stored
    )


def marks_json(marks: Highlight) -> str:
    """The source tokens of an item in the form stored in the database."""
    return json.dumps(to_builtins(marks), separators=(",", ":"))


_MARKS = Decoder(Highlight)


def read_marks(text: str) -> Highlight:
    return _MARKS.decode(text)
