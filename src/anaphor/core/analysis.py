"""What a linguistic analysis says of the tokens of one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tree:
    """A dependency tree: the head of every token (None at the root) and its relation to it."""

    heads: tuple[int | None, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Lemma and universal part of speech of every token, and which tokens are subjects.

    - `subjects`: positions of overt subjects, expletive ones too.
    - `expletives`: positions of pronouns that stand for nothing (*it* rains, *es* gibt).
    - `null_subjects`: positions of finite third-person verbs whose subject is left out.
    - `tree`: the dependency tree, where the analyser makes one.
    """

    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    subjects: frozenset[int] = field(default_factory=frozenset)
    expletives: frozenset[int] = field(default_factory=frozenset)
    null_subjects: frozenset[int] = field(default_factory=frozenset)
    tree: Tree | None = None
