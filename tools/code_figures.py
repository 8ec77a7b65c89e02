"""Figures of a codebase: how many files and lines, how its functions are cut, how much of it is explained.

    python tools/code_figures.py                         this checkout
    python tools/code_figures.py --revision 3e7fe16      the same checkout at another revision
    python tools/code_figures.py httpx pluggy sacrebleu  installed packages, to compare with
    python tools/code_figures.py --write                 rewrite the table in benchmarks/README.md

`--write` puts the checkout beside the revisions EARLIER and the packages ANCHORS, all measured by this
script.
Tests are counted where they stand beside a package; installed packages come without theirs.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import io
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeGuard

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "README.md"
#: The last revision before modules were merged and renamed, the smallest one after that, and the last one
#: before all commands that score went through one core.
EARLIER = {"before": "3e7fe16", "merged": "b2aa8ce", "before one core": "f3a18f4d"}
ANCHORS = ("httpx", "pluggy", "sacrebleu")
START, END = "<!-- figures: python tools/code_figures.py --write -->\n", "<!-- end of figures -->\n"

#: Names that say nothing of what they hold.
VAGUE = ("one", "found")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def figures(package: Path, tests: Path | None = None) -> dict[str, str]:
    """The rows of the table for one package."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))]
    lines = [line for text in texts for line in text.splitlines()]
    trees = [ast.parse(text) for text in texts]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, Function)]
    lengths = sorted((node.end_lineno or node.lineno) - node.lineno + 1 for node in functions)
    single = sum(sum(1 for _ in single_use_helpers(tree)) for tree in trees)
    classes = [node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    data = {node.name for tree in trees for node in ast.walk(tree) if is_dataclass(node)}
    calls = Counter(name for tree in trees for name in called_names(tree))
    repeated = sum(count > 1 for count in Counter(node.name for node in classes).values())
    imported = sum(
        (node.end_lineno or node.lineno) - node.lineno + 1
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    comments = sum(sum(1 for _ in comments_of(text)) for text in texts)
    typed = sum(node.returns is not None for node in functions)
    vague = Counter(name for tree in trees for name, _ in vague_bindings(tree))
    percent = 100 / len(lines)
    rows = {
        "files": f"{len(texts):,}",
        "lines": f"{len(lines):,}",
        "function length, median / 95th percentile": (
            f"{statistics.median(lengths):.0f} / {lengths[int(0.95 * (len(lengths) - 1))]}"
        ),
        "private helpers called once, share of functions": f"{100 * single / len(functions):.0f} %",
        "import lines / blank lines": (
            f"{percent * imported:.1f} / {percent * sum(not line.strip() for line in lines):.1f} %"
        ),
        "comments per 100 lines": f"{percent * comments:.1f}",
        "dataclasses / built in one place": f"{len(data)} / {sum(calls[name] == 1 for name in data)}",
        "class names defined in several modules": str(repeated),
        "functions with a return type": f"{100 * typed / len(functions):.0f} %",
        "local names `one` / `found`": " / ".join(str(vague[name]) for name in VAGUE),
    }
    if tests is not None and tests.is_dir():
        tested = sum(path.read_text(encoding="utf-8").count("\n") for path in tests.rglob("*.py"))
        rows["test lines per source line"] = f"{tested / len(lines):.2f}"
    return rows


def single_use_helpers(tree: ast.Module) -> Iterator[str]:
    """Private functions and methods whose name is mentioned once in their module, beside their definition."""
    mentions = Counter(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    for node in ast.walk(tree):
        if isinstance(node, Function):
            private = node.name.startswith("_") and not node.name.startswith("__")
            if private and mentions[node.name] == 1:
                yield node.name


def vague_bindings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every binding of `one` and `found`, with its line: assignments, loops, `with`, arguments and so on."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) if name in VAGUE:
                yield name, node.lineno
            case ast.arg(arg=name) if name in VAGUE:
                yield name, node.lineno


def is_dataclass(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(d) for d in node.decorator_list)


def called_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func).rpartition(".")[2]


def comments_of(text: str) -> Iterator[str]:
    """Comments for readers; those that instruct a linter or a type checker do not count."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"#\s*(noqa|type:|pragma|ruff:)", token.string):
            yield token.string


def installed(name: str) -> Path:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        sys.exit(f"{name} is not installed: pip install {name}")
    return Path(spec.origin).parent


def of_revision(revision: str) -> dict[str, str]:
    packed = subprocess.run(
        ["git", "archive", revision, "src", "tests"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
        return figures(Path(folder, "src", "anaphor"), Path(folder, "tests"))


def of_checkout() -> dict[str, str]:
    return figures(ROOT / "src" / "anaphor", ROOT / "tests")


def as_markdown(columns: dict[str, dict[str, str]]) -> str:
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    head = f"| | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}\n"
    return head + "".join(
        f"| {name} | {' | '.join(column.get(name, '') for column in columns.values())} |\n" for name in names
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", help="installed packages to measure beside this one")
    parser.add_argument("--revision", help="measure this revision of the checkout")
    parser.add_argument("--write", action="store_true", help="rewrite the table in benchmarks/README.md")
    options = parser.parse_args(arguments)
    columns = {"anaphor": of_revision(options.revision) if options.revision else of_checkout()}
    if options.write:
        earlier = {name: of_revision(revision) for name, revision in EARLIER.items()}
        columns = {**earlier, "now": columns["anaphor"]}
    for name in ANCHORS if options.write else options.packages:
        columns[name] = figures(installed(name))
    table = as_markdown(columns)
    if options.write:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        _, _, tail = rest.partition(END)
        PAGE.write_text(f"{head}{START}\n{table}\n{END}{tail}", encoding="utf-8")
    sys.stdout.write(table)


if __name__ == "__main__":
    main()
