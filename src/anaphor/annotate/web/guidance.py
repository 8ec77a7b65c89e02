"""What annotators read before they judge: guidelines in their language, examples in the target language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

_FOLDER = files("anaphor") / "annotate" / "web" / "guidelines"


class Picture(NamedTuple):
    """Two words of the source and their translations, whether these fit, and what follows from it."""

    title: str
    head: str
    pronoun: str
    head_shown: str
    pronoun_shown: str
    fits: bool
    outcome: str


class _TargetExamples(NamedTuple):
    judge: tuple[Picture, ...] = ()
    gaps: tuple[Picture, ...] = ()
    compare: tuple[Picture, ...] = ()
    tags: Mapping[str, str] = {}


@cache
def standard_guidelines(mode: str, language: str) -> str:
    """The guidelines of a mode as Markdown."""
    return (_FOLDER / f"{mode}.{language}.md").read_text("utf-8")


@cache
def _examples(target: str) -> _TargetExamples:
    languages = tomllib.loads((_FOLDER / "examples.toml").read_text("utf-8"))
    content = languages.get(target, {})
    pictures = {
        mode: tuple(Picture(**picture) for picture in content.get(mode, ()))
        for mode in ("judge", "gaps", "compare")
    }
    return _TargetExamples(**pictures, tags=content.get("tags", {}))


def pictures(target: str, mode: str) -> tuple[Picture, ...]:
    """Examples of right and wrong translations into a language; none for a language without any."""
    own: tuple[Picture, ...] = getattr(_examples(target), mode)
    return own


def tag_example(target: str, tag: str) -> str:
    """An example of a tag in translations into a language; empty if there is none."""
    return _examples(target).tags.get(tag, "")
