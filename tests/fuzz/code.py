"""Which code a reader ran, and a hash of it, so that a change elsewhere does not make its counts old.

What counts is every function of the package and of the fuzzer that was called, with the code of its module that is
in no function, and the sources of the compiled extension where that was loaded. Other functions, imports of what
none of these names, comments, docstrings and layout do not.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

import anaphor

ROOT = Path(__file__).parents[2]
#: The sources of the compiled extension, all together.
NATIVE = "native"
_PACKAGE, _TESTS, _SELF = "src/anaphor", "tests", "tests/fuzz/code.py"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class CalledCode:
    """Notes the functions that are called while it is entered; anything it noted is kept."""

    def __init__(self, *, only_tests: bool = False) -> None:
        self._codes: dict[int, CodeType] = {}
        self._only_tests = only_tests

    def __len__(self) -> int:
        return len(self._codes)

    def __enter__(self) -> None:
        sys.settrace(self._note)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _note(self, frame: FrameType, _event: str, _argument: object) -> None:
        self._codes[id(frame.f_code)] = frame.f_code  # which keeps it, so that no other gets its place

    def names(self) -> set[str]:
        """`path:function` for each, by its path in the project; a path alone for code beside the functions."""
        found = set()
        for code in self._codes.values():
            path = _project_path(code.co_filename)
            if path not in ("", _SELF) and (path.startswith(_TESTS) or not self._only_tests):
                name = _functions_by_line(path).get(code.co_firstlineno)
                found.add(f"{path}:{name}" if name else path)
        return found


def loaded_constants() -> set[str]:
    """The paths of loaded modules that have no functions, and the compiled extension if it is loaded.

    What a package says of itself is left out: where its names are is seen from the functions that are called.
    """
    found = set()
    for name, module in list(sys.modules.items()):
        path = _project_path(getattr(module, "__file__", None) or "")
        if name == "anaphor._native":
            found.add(NATIVE)
        elif path.startswith(_PACKAGE) and path[-11:] != "__init__.py" and not _functions_by_line(path):
            found.add(path)
    return found


def as_text(names: Collection[str]) -> str:
    """The names by path, in a line: `path:function,function path`."""
    by_path: dict[str, set[str]] = defaultdict(set)
    for name in names:
        path, _, function = name.partition(":")
        by_path[path] |= {function} if function else set()
    return " ".join(f"{path}:{','.join(sorted(by_path[path]))}".rstrip(":") for path in sorted(by_path))


def from_text(text: str) -> set[str]:
    """What `as_text` wrote."""
    found = set()
    for part in text.split():
        path, _, functions = part.partition(":")
        found |= {f"{path}:{function}" for function in functions.split(",") if function} | {path}
    return found


def code_digest(names: str, root: Path = ROOT) -> str:
    """A hash of the code with these names, which are as `as_text` gives them."""
    found = hashlib.sha256()
    for part in names.split():
        name, _, functions = part.partition(":")
        paths = sorted((root / name).glob("*.[ch]pp")) if name == NATIVE else [root / name]
        for path in paths:
            content = "missing"
            if path.is_file():
                content = _hash(path.read_bytes(), frozenset(functions.split(",")), path.suffix == ".py")
            found.update(f"{path.relative_to(root).as_posix()} {content}\n".encode())
    return found.hexdigest()[:16]


@cache
def _hash(data: bytes, called: frozenset[str], is_python: bool) -> str:
    if is_python:
        module = ast.parse(data)
        module.body = _without_uncalled(module.body, called, "")
        for node in ast.walk(module):
            match getattr(node, "body", None):
                case [ast.Expr(value=ast.Constant(value=str())), *_] as body:
                    body[0] = ast.Pass()
        used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
        data = ast.dump(_Imports(used).visit(module)).encode()
    return hashlib.sha256(data).hexdigest()


class _Imports(ast.NodeTransformer):
    """Takes out the imports of what is not used."""

    def __init__(self, used: set[str]) -> None:
        self.used = used

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> ast.AST | None:
        node.names = [one for one in node.names if (one.asname or one.name).split(".")[0] in self.used]
        return node if node.names else None

    visit_ImportFrom = visit_Import  # noqa: N815


def _without_uncalled(body: list[ast.stmt], called: frozenset[str], prefix: str) -> list[ast.stmt]:
    """The statements without the functions, also those of classes, that were not called."""
    found = []
    for node in body:
        if isinstance(node, ast.ClassDef):
            node.body = _without_uncalled(node.body, called, f"{prefix}{node.name}.")
        if not isinstance(node, _Function) or f"{prefix}{node.name}" in called:
            found.append(node)
    return found


def _project_path(filename: str) -> str:
    """The path in the project of a file of the package, wherever that is installed, or of the tests; else nothing."""
    path = Path(filename)
    for start, name in ((Path(anaphor.__file__).parent, _PACKAGE), (ROOT / _TESTS, _TESTS)):
        if path.suffix == ".py" and path.is_relative_to(start):
            return f"{name}/{path.relative_to(start).as_posix()}"
    return ""


@cache
def _functions_by_line(path: str) -> dict[int, str]:
    """The outermost function that a line of a file belongs to, `Class.method` for those of classes."""
    file = ROOT / path
    if path.startswith(_PACKAGE):
        file = Path(anaphor.__file__).parent / Path(path).relative_to(_PACKAGE)
    found: dict[int, str] = {}

    def search(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                search(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, _Function):
                first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                found.update(
                    dict.fromkeys(range(first, (node.end_lineno or first) + 1), f"{prefix}{node.name}")
                )

    search(ast.parse(file.read_bytes()).body, "")
    return found
