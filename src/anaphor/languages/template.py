"""Packs to fill in, for a language pair that has none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from anaphor.core import LanguagePair, OptionError
from anaphor.files.writing import write_atomically
from anaphor.languages.pack_file import known_languages, known_pairs, load_language

_LANGUAGE = """\
# {code}: its pronouns. docs/packs.md explains every key; a form has one row for each of its readings.
# An example, in French:
#     {{ form = "elle", person = 3, number = "singular", gender = "feminine", case = "nominative" }},

forms = [
]

[about]
name = "{code}"
facts = "the grammar or corpus that the facts are from"
licence = "Apache-2.0"
"""

_PAIR = """\
# {source} to {target}: which pronouns are evaluated, and which words count as their translations.
# docs/packs.md explains every key.

source_pronouns = [{sources}]
target_pronouns = [{targets}]
object_pronouns = [{objects}]
# Groups of spellings of one pronoun, such as ["ce", "c'"].
identical = []
# Pairs that annotators often accept for each other: {{ forms = ["ce", "il"] }}.
equivalent = []

# The most frequent translations of each source pronoun, the likeliest first: it = ["il", "elle"].
[likely]
{likely}

[about]
facts = "the grammar or corpus that the facts are from"
licence = "Apache-2.0"
"""


def write_template(pair: LanguagePair, folder: str | Path) -> tuple[str, ...]:
    """Write templates of the packs that a pair lacks: its own, and those of its languages.

    Args:
        pair: The language pair.
        folder: The output folder, created if necessary.

    Returns:
        The paths of the new files.

    Raises:
        OptionError: The pair has a pack, or one of the files exists.
    """
    if str(pair) in known_pairs():
        fix = f"`anaphor list --pair {pair}` shows it"
        raise OptionError(f"the pair {pair} already has a pack", where="--template", fix=fix)
    texts = {
        f"{code}.toml": _LANGUAGE.format(code=code)
        for code in (pair.source, pair.target)
        if code not in known_languages()
    }
    sources = ["it", "they"] if pair.source == "en" else _third_person(pair.source, "nominative")
    subjects = _third_person(pair.target, "nominative")
    texts[f"{pair}.toml"] = _PAIR.format(
        source=pair.source,
        target=pair.target,
        sources=_listed(sources),
        targets=_listed(subjects),
        objects=_listed(form for form in _third_person(pair.target, "accusative") if form not in subjects),
        likely="\n".join(f'"{form}" = [{_listed(subjects)}]' for form in sources),
    )
    paths = [Path(folder) / name for name in texts]
    if existing := [path for path in paths if path.exists()]:
        fix = "edit it, or name another folder"
        raise OptionError(f"{existing[0]} exists already", where="--template", fix=fix)
    Path(folder).mkdir(parents=True, exist_ok=True)
    for path, text in zip(paths, texts.values(), strict=True):
        write_atomically(path, text)
    return tuple(map(str, paths))


def _third_person(code: str, case: str) -> list[str]:
    """The pronouns of the third person that the pack of a language lists for a case."""
    if code not in known_languages():
        return []
    forms = (form for form in load_language(code).forms if form.person == 3 and form.case == case)
    return [*dict.fromkeys(form.form for form in forms)]


def _listed(forms: Iterable[str]) -> str:
    return ", ".join(f'"{form}"' for form in forms)
