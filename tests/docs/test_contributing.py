"""The recipes of CONTRIBUTING.md work when they are followed literally, in a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.examples import DEMO, ROOT, Block, blocks, says, steps

PAGE = ROOT / "CONTRIBUTING.md"
PACKAGE = Path(str(DEMO)).parent
#: What paths on the page are relative to.
FOLDERS = (ROOT, PACKAGE, ROOT / "tests", ROOT / "tools")
# What the recipes must cover; more may be there.
EXPECTED = {
    "a metric with an option",
    "an aligner",
    "an analysis",
    "a language and a pair",
    "a predictor",
    "categories of a test suite",
    "a command-line option",
}


def recipes() -> dict[str, list[Block]]:
    """The blocks of every recipe, by its title."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    titles = [(n, line) for n, line in enumerate(lines, start=1) if line.startswith("### Recipe: ")]
    found: dict[str, list[Block]] = {line.removeprefix("### Recipe: "): [] for _, line in titles}
    for block in blocks(PAGE):
        before = [line for n, line in titles if n < block.line]
        if before:
            found[before[-1].removeprefix("### Recipe: ")].append(block)
    return found


RECIPES = recipes()


def paths_in_text() -> dict[str, int]:
    """The paths in code spans outside of blocks, with their lines."""
    lines = PAGE.read_text(encoding="utf-8").split("\n")
    for block in blocks(PAGE):
        within = range(block.line, block.line + block.text.count("\n"))
        lines = ["" if n in within else line for n, line in enumerate(lines)]
    spans = [(path, n) for n, line in enumerate(lines, start=1) for path in re.findall(r"`([^` ]+)`", line)]
    return {path: n for path, n in spans if "/" in path}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with the package under src/, as links where nothing is changed, and the demo files."""
    shutil.copytree(
        PACKAGE,
        tmp_path / "src" / "anaphor",
        copy_function=os.link,
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    shutil.copytree(DEMO, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    return tmp_path


def patch(path: Path, text: str) -> None:
    """Replace the lines of a `diff` block without `+` by those without `-`; they must be there once."""
    hunk = text.removesuffix("\n").split("\n")
    old = "\n".join(line[1:] for line in hunk if line[:1] != "+")
    new = "\n".join(line[1:] for line in hunk if line[:1] != "-")
    content = "\n" + path.read_text(encoding="utf-8")
    found = content.count(f"\n{old}\n")
    assert found == 1, f"{path.name} has {found} times {old!r}"
    path.unlink()  # a link to the real file
    path.write_text(content.replace(f"\n{old}\n", f"\n{new}\n")[1:], encoding="utf-8")


def test_every_promised_recipe_is_there() -> None:
    assert set(RECIPES) >= EXPECTED
    unused = {title for title in EXPECTED if not any(block.words == ("console",) for block in RECIPES[title])}
    assert not unused, "a recipe ends with a command that uses what it made"


@pytest.mark.parametrize("title", [title for title, found in RECIPES.items() if found])
def test_a_recipe_can_be_followed_literally(title: str, copy: Path) -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(copy / "src"), os.environ.get("PYTHONPATH", "")]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    assert RECIPES[title]
    for block in RECIPES[title]:
        place = f"{PAGE.name}:{block.line}"
        match block.words:
            case ["diff", path]:
                patch(copy / path, block.text)
            case ["python" | "toml", path]:
                assert not (copy / path).exists(), f"{place}: {path} is there already"
                (copy / path).write_text(block.text, encoding="utf-8")
            case ["console"]:
                for step in steps(block):
                    done = subprocess.run(
                        [sys.executable, "-m", "anaphor", *step.arguments],
                        cwd=copy,
                        env=environment,
                        capture_output=True,
                        text=True,
                        check=False,
                    )
                    assert done.returncode == 0, f"{place}: {done.stderr}"
                    printed = done.stdout
                    assert says(step.expected, printed), f"{place}: it prints\n{printed}"
            case _:
                pytest.fail(f"{place}: a recipe has no block {' '.join(block.words)!r}")


def test_every_path_on_the_page_is_there() -> None:
    """Or it is made: by `make`, or after the example of a recipe, as `test_brevity.py` is."""
    made = [block.words[1] for block in blocks(PAGE) if block.words[1:] and block.words[0] != "diff"]
    examples = {"FORMAT", *(Path(path).stem for path in made)}
    paths = paths_in_text()
    assert len(paths) > 50
    missing = {
        path: line
        for path, line in paths.items()
        if not path.startswith("build/")
        and not examples & {*re.split(r"[/_.]", path)}
        and not any((folder / path).exists() for folder in FOLDERS)
    }
    assert not missing, "it has moved, or the page should say how it is made"


def test_a_patch_whose_lines_are_not_there_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text("first\nsecond\n", encoding="utf-8")
    patch(path, " first\n+between\n")
    assert path.read_text(encoding="utf-8") == "first\nbetween\nsecond\n"
    patch(path, "-between\n+amid\n")
    assert path.read_text(encoding="utf-8") == "first\namid\nsecond\n"
    with pytest.raises(AssertionError, match="0 times 'third'"):
        patch(path, " third\n+x\n")
