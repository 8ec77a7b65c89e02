"""The reference of the library, `docs/api.md`, is what the docstrings say, and these are complete.

The part of the page below the mark is made by this file. To rewrite it:

    python -m tests.docs.test_docs_api --write

The examples of the docstrings become blocks of the page, which `test_docs_examples.py` runs.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import anaphor

PAGE = Path(__file__).resolve().parents[2] / "docs" / "api.md"
MARK = "<!-- What follows is made from the docstrings: python -m tests.docs.test_docs_api --write -->\n"
WIDTH = 100

#: The public API by topic: the names of `anaphor` itself, and the functions behind the commands.
PUBLIC = {
    "Evaluation": [
        "anaphor.evaluate",
        "anaphor.ScoreReport",
        "anaphor.Files",
        "anaphor.Settings",
    ],
    "Results": [
        *(
            "anaphor.Result",
            "anaphor.SystemResult",
            "anaphor.Score",
            "anaphor.Interval",
            "anaphor.Comparison",
        ),
        *("anaphor.Verdict", "anaphor.Outcome", "anaphor.Signature"),
    ],
    "Texts": ["anaphor.Text", "anaphor.Inputs", "anaphor.Alignment", "anaphor.LanguagePair"],
    "Errors": ["anaphor.UserError", "anaphor.InputWarning"],
    "Result files": [
        *("anaphor.scoring.verification.verify", "anaphor.scoring.verification.Verification"),
        *("anaphor.report.stored.read_stored", "anaphor.report.emit.emit"),
    ],
    "Alignment": ["anaphor.align.texts.align_texts"],
    "Language packs": [
        *("anaphor.scoring.pack_check.check_packs", "anaphor.align.prior_building.build_prior"),
    ],
    "Test suites": [
        *("anaphor.suite.load_suite", "anaphor.suite.evaluate_suite", "anaphor.suite.EvaluationOptions"),
    ],
    "Public test sets": [
        *("anaphor.bench.scores.read_scores", "anaphor.bench.scores.scores_of"),
        *("anaphor.bench.scores.evaluate_scores", "anaphor.bench.scores.VariantScores"),
        *("anaphor.bench.predictor.predictor_scores", "anaphor.bench.choice.choice_questions"),
        *("anaphor.bench.choice.read_answers", "anaphor.bench.choice.ask_server"),
        *("anaphor.bench.choice.evaluate_answers", "anaphor.bench.context.evaluate_context"),
        *("anaphor.bench.export.export_plain", "anaphor.bench.export.export_lm_eval"),
    ],
    "Prediction": [
        *("anaphor.task.task_classes", "anaphor.task.read_task", "anaphor.predict.shipped.find_model"),
        *("anaphor.predict.prediction.predict_lines", "anaphor.evaluation.postediting.postedit"),
    ],
    "Meta-evaluation": ["anaphor.meta.correlate.meta_evaluate"],
    "Integrations": ["anaphor.integrations.sacrebleu.PronounMetric", "anaphor.integrations.sacrebleu.APT"],
}
NAMES = [name for names in PUBLIC.values() for name in names]
STARS: dict[object, str] = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
#: What takes arguments and never fails.
SAFE = {"emit", "short", "targets_of", "to_json"}
_HEADINGS = ("Args", "Attributes", "Returns", "Yields", "Raises", "Example")
_SECTION = re.compile(rf"^({'|'.join(_HEADINGS)}):\n((?:(?: .*)?\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+): ((?:.*\n)(?:(?: .*)?\n)*)", re.MULTILINE)


def resolved(name: str) -> Any:
    """The object of a full name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def parsed(doc: str) -> tuple[str, dict[str, str]]:
    """The text of a docstring, and its sections without their indentation."""
    text = inspect.cleandoc(doc) + "\n"
    sections = {match[1]: dedent(match[2]) for match in _SECTION.finditer(text)}
    return _SECTION.sub("", text).strip(), sections


def entries(section: str) -> dict[str, str]:
    """The named entries of a section, each as one line."""
    return {match[1]: " ".join(match[2].split()) for match in _ENTRY.finditer(section)}


def signature_of(thing: Any, name: str) -> str:
    """The call with its types; a default that cannot be written is three dots."""
    found = inspect.signature(thing)
    parts, starred = [], False
    for parameter in found.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        text = STARS.get(parameter.kind, "") + parameter.name
        if parameter.annotation is not parameter.empty:
            text += f": {annotation_of(parameter.annotation)}"
        if parameter.default is not parameter.empty:
            shown = repr(parameter.default)
            text += f" = {'...' if '<' in shown or ' at 0x' in shown or len(shown) > 60 else shown}"
        parts.append(text)
    end = "" if inspect.isclass(thing) else f" -> {annotation_of(found.return_annotation)}"
    line = f"{name}({', '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){end}"])


def annotation_of(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def members(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines itself."""
    for name, member in vars(thing).items():
        plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if not name.startswith("_") and (inspect.isfunction(plain) or isinstance(plain, property)):
            yield name, plain


def documented(thing: Any, name: str, level: str) -> Iterator[str]:
    """The Markdown of a function, a property or a class with its members."""
    yield f"{level} `{name}`"
    short = name.rpartition(".")[2]
    if isinstance(thing, property):
        yield f"Property: `{annotation_of(inspect.signature(thing.fget).return_annotation)}`."  # type: ignore[arg-type]
    elif not (inspect.isclass(thing) and issubclass(thing, Enum | Warning)):
        yield f"```text\n{signature_of(thing, short)}\n```"
    text, sections = parsed(inspect.getdoc(thing) or "")
    yield text
    if inspect.isclass(thing) and issubclass(thing, Enum):
        yield "\n".join(f"- `{short}.{one.name}` = {one.value!r}" for one in thing)
    for heading in _HEADINGS[:-1]:
        # The head of the page says once that every mistake of a user raises a `UserError`.
        if heading not in sections or (
            heading == "Raises" and [*entries(sections[heading])] == ["UserError"]
        ):
            continue
        title = {"Args": "Arguments"}.get(heading, heading)
        if heading in ("Returns", "Yields"):
            yield f"{title}: {' '.join(sections[heading].split())}"
        else:
            rows = [f"- `{key}`: {value}" for key, value in entries(sections[heading]).items()]
            yield "\n".join([f"{title}:\n", *rows])
    if "Example" in sections:
        yield example(sections["Example"])
    if inspect.isclass(thing) and not issubclass(thing, Enum):
        for member, function in members(thing):
            yield from documented(function, f"{short}.{member}", level + "#")


def example(text: str) -> str:
    """A session of Python as a block of code, and one of what it prints."""
    code: list[str] = []
    output: list[str] = []
    for line in text.strip("\n").split("\n"):
        if line.startswith((">>>", "...")):
            assert not output, "an example prints at its end alone"
            # As ruff formats the blocks of pages: an empty line after the imports.
            if (
                code
                and code[-1].startswith(("import ", "from "))
                and not line[4:].startswith(("import ", "from "))
            ):
                code.append("")
            code.append(line[4:])
        else:
            output.append(line)
    blocks = ["```python", *code, "```"]
    return "\n".join([*blocks, "", "```output", *output, "```"] if output else blocks)


def reference() -> str:
    """All that stands below the mark."""
    parts = []
    for topic, names in PUBLIC.items():
        parts.append(f"## {topic}")
        for name in names:
            parts += documented(resolved(name), name, "###")
    return "\n\n".join(parts) + "\n"


def functions() -> Iterator[Any]:
    """Every public function and method, with its name."""
    for name in NAMES:
        thing = resolved(name)
        if inspect.isfunction(thing):
            yield pytest.param(thing, id=name)
        elif inspect.isclass(thing):
            for member, function in members(thing):
                if inspect.isfunction(function):
                    yield pytest.param(function, id=f"{name}.{member}")


def test_the_page_is_up_to_date() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.partition(MARK)[2] == reference(), "run: python -m tests.docs.test_docs_api --write"


def test_every_public_name_is_in_the_reference() -> None:
    assert {f"anaphor.{name}" for name in anaphor.__all__} == {n for n in NAMES if n.count(".") == 1}


@pytest.mark.parametrize("function", list(functions()))
def test_docstrings_say_what_goes_in_and_what_comes_back(function: Any) -> None:
    """A method without arguments may do with its first sentence."""
    text, sections = parsed(function.__doc__ or "")
    assert text[:1].isupper()
    assert text.endswith((".", ":", "`"))
    found = inspect.signature(function)
    names = [
        STARS.get(p.kind, "") + p.name for p in found.parameters.values() if p.name not in ("self", "cls")
    ]
    if not names:
        return
    assert list(entries(sections.get("Args", ""))) == names
    comes_back = found.return_annotation not in ("None", None)
    assert comes_back == ("Returns" in sections or "Yields" in sections)
    assert ("Raises" in sections) == (function.__name__ not in SAFE)


@pytest.mark.parametrize("name", [name for name in NAMES if inspect.isclass(resolved(name))])
def test_docstrings_name_every_field(name: str) -> None:
    thing = resolved(name)
    text, sections = parsed(thing.__doc__ or "")
    assert text[:1].isupper()
    if dataclasses.is_dataclass(thing):
        fields = [field.name for field in dataclasses.fields(thing)]
        assert list(entries(sections.get("Attributes", ""))) == fields


if __name__ == "__main__" and "--write" in sys.argv:
    head = PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    PAGE.write_text(head + MARK + reference(), encoding="utf-8")
