"""How tests are written: what they import, and that no test passes because a loop had nothing to do."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.code import tree_of

TESTS = Path(__file__).resolve().parents[1]
MODULES = sorted(TESTS.rglob("*.py"))
#: The compiled extension is a module of its own, and tests compare it with its counterparts.
EXTENSION = "_native"
#: Functions whose result is empty only if an argument is.
KEEPING = {"sorted", "list", "tuple", "set", "frozenset", "dict", "enumerate", "reversed", "iter"}
KEEPING |= {"permutations", "product"}
#: A text without sections, a page without examples and a damaged file without arrays are right as well.
MAY_BE_EMPTY = {
    "test_any_text_is_a_configuration_with_clean_keys_or_a_user_error",
    "test_every_block_says_what_it_is",
    "test_examples_print_what_the_page_says",
    "test_no_damage_is_more_than_an_input_error",
}


def imported_names(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    """Every name that a module imports, in its parts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((*(node.module or "").split("."), alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)


def imported_in_programs(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    """The same of programs that stand in a string and are run in another process."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for module in re.findall(r"^\s*(?:from|import) ([\w.]+)", node.value, re.MULTILINE):
                yield tuple(module.split("."))


def test_modules_with_the_same_name_can_be_told_apart() -> None:
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    assert "--import-mode=importlib" in settings["tool"]["pytest"]["ini_options"]["addopts"].split()


def test_private_names_are_not_imported() -> None:
    breaches = [
        f"{path.relative_to(TESTS)}: {'.'.join(parts)}"
        for path in MODULES
        for parts in imported_names(tree_of(path))
        if parts[0] in ("anaphor", "tests")
        and any(part.startswith("_") and not part.startswith("__") and part != EXTENSION for part in parts)
    ]
    assert MODULES
    assert not breaches


def test_what_tests_share_is_in_modules_of_its_own() -> None:
    """A module of tests, or a `conftest.py`, that another one imports would be loaded and changed by both."""
    breaches = [
        f"{path.relative_to(TESTS)}: {'.'.join(parts)}"
        for path in MODULES
        for parts in (*imported_names(tree_of(path)), *imported_in_programs(tree_of(path)))
        if parts[0] in ("tests", "conftest")
        and any(part.startswith("test_") or part == "conftest" for part in parts)
    ]
    assert MODULES
    assert not breaches


def is_check(node: ast.AST) -> bool:
    """An assert, or a call that can make a test fail: `pytest.raises`, `check`, `assert_equal` and so on."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).rpartition(".")[2]
        return name in ("raises", "warns", "fail") or name.startswith(("assert_", "check", "allclose"))
    return isinstance(node, ast.Assert)


def is_written_out(node: ast.expr, constants: set[str]) -> bool:
    """Whether a reader sees that there is something to loop over."""
    match node:
        case ast.Tuple() | ast.List() | ast.Set():
            return any(not isinstance(element, ast.Starred) for element in node.elts)
        case ast.Dict() | ast.Constant():
            return True
        case ast.Name():
            return node.id in constants
        case ast.Call(func=ast.Name(id="range")):
            return all(isinstance(argument, ast.Constant | ast.UnaryOp) for argument in node.args)
        case ast.Call(func=ast.Name(id="zip")) if node.keywords:  # all are of the same length
            return any(is_written_out(argument, constants) for argument in node.args)
        case ast.Call(func=ast.Attribute(value=value, attr="items" | "values" | "keys")):
            return is_written_out(value, constants)
        case ast.Call(func=ast.Name(id="map"), args=[_, *rest]) if rest:
            return all(is_written_out(argument, constants) for argument in rest)
        case ast.Call(func=ast.Name(id=name), args=[_, *_] as rest) if name in KEEPING:
            return all(is_written_out(argument, constants) for argument in rest)
        case ast.GeneratorExp() | ast.ListComp():
            return all(is_written_out(part.iter, constants) and not part.ifs for part in node.generators)
        case ast.BinOp(left=left, op=ast.Mult()):
            return is_written_out(left, constants)
    return False


def holds_for_nothing(check: ast.AST, constants: set[str]) -> bool:
    """Whether this is `assert all(...)` or `assert not any(...)` of what may be empty."""
    match check:
        case (
            ast.Assert(test=ast.Call(func=ast.Name(id="all"), args=[parts]))
            | ast.Assert(
                test=ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[parts]))
            )
        ):
            return not is_written_out(parts, constants)
    return False


def constants_of(node: ast.Module | ast.FunctionDef, constants: set[str]) -> set[str]:
    """The names that are bound to what is written out."""
    names = set(constants)
    for statement in node.body if isinstance(node, ast.Module) else ast.walk(node):
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        if is_written_out(statement.value, names):
            targets = [part for part in ast.walk(statement) if isinstance(part, ast.Name)]
            names |= {target.id for target in targets if isinstance(target.ctx, ast.Store)}
    return names


def sure_checks(node: ast.AST, constants: set[str]) -> Iterator[bool]:
    """For every check whether it is outside any loop that may be empty, and needs something to look at."""
    for child in ast.iter_child_nodes(node):
        if is_check(child):
            yield not holds_for_nothing(child, constants)
        empty = isinstance(child, ast.For) and not is_written_out(child.iter, constants)
        yield from (sure and not empty for sure in sure_checks(child, constants))


def test_a_loop_that_asserts_is_not_empty() -> None:
    unsure = []
    for path in MODULES:
        constants = constants_of(tree_of(path), set())
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                checks = [*sure_checks(node, constants_of(node, constants))]
                if checks and not any(checks) and node.name not in MAY_BE_EMPTY:
                    unsure.append(f"{path.relative_to(TESTS)}: {node.name}")
    assert MODULES
    assert not unsure, "assert first that there is something to loop over"


@pytest.mark.parametrize(
    ("line", "sure"),
    [
        ("assert total", True),
        ("assert all(n > 0 for n in (1, 2))", True),
        ("assert all(n > 0 for n in TABLE)", True),
        ("assert all(n > 0 for n in sorted(TABLE))", True),
        ("assert all(n > 0 for n in found())", False),
        ("assert all(n > 0 for n in FOUND)", False),
        ("assert all(n > 0 for n in TABLE if n)", False),
        ("assert all(found().values())", False),
        ("assert not any(n < 0 for n in found(TABLE))", False),
        ("for n in found(): assert n", False),
        ("for n in TABLE: assert n", True),
        ("for n in TABLE: assert all(n)", False),
    ],
)
def test_the_guard_against_empty_loops_itself(line: str, sure: bool) -> None:
    tree = ast.parse(f"TABLE = [1]\nFOUND = found()\ndef test_it():\n    {line}\n")
    function = tree.body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert [*sure_checks(function, constants_of(function, constants_of(tree, set())))] == [sure]


#: What is left is mostly data, tables and reasons, which are results and no wording.
MOST_SENTENCES = 61


def has_sentence(node: ast.Compare) -> bool:
    """Whether something is compared with a string of nine words or more, alone or in a list."""
    parts = (part for side in (node.left, *node.comparators) for part in ast.walk(side))
    strings = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return any(len(text.split()) >= 9 for text in strings)


def test_few_tests_compare_whole_sentences() -> None:
    """A sentence can be said better without breaking a test that looks for its key words only."""
    compared = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq) and has_sentence(node)
    ]
    assert 0 < len(compared) <= MOST_SENTENCES, compared
