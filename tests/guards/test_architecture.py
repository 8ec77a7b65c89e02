"""Who may import whom."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.support.code import tree_of

SOURCE = Path(__file__).resolve().parents[2] / "src" / "anaphor"
MODULES = sorted(SOURCE.rglob("*.py"))

#: The packages that each package may import; `docs/architecture.md` draws the pipeline and refers here.
PIPELINE = (
    "core",
    "stats",
    "files",
    "languages",
    "corpus",
    "align",
    "pronouns",
    "metrics",
    "evaluation",
    "report",
)
MAY_IMPORT = {name: set(PIPELINE[:i]) for i, name in enumerate(PIPELINE)}
# Texts and languages come without statistics.
for name in ("files", "languages", "corpus", "align", "pronouns"):
    MAY_IMPORT[name] -= {"stats"}
TEXTS = {"core", "files", "languages", "corpus"}
SCORING = {*PIPELINE[: PIPELINE.index("evaluation")]}
MAY_IMPORT["analyse"] = TEXTS
MAY_IMPORT["antecedents"] = TEXTS | {"align", "analyse"}
MAY_IMPORT["verdict"] = {"core", "languages", "analyse", "antecedents", "pronouns"}
MAY_IMPORT["judge"] = {"core", "predict", "verdict"}
MAY_IMPORT["translate"] = TEXTS | {"predict", "segment"}
MAY_IMPORT["metrics"] |= {"analyse", "antecedents", "judge", "predict", "verdict"}
MAY_IMPORT["evaluation"] |= {"analyse", "predict", "segment", "verdict"}
MAY_IMPORT["suite"] = SCORING | {"analyse", "antecedents", "segment", "verdict"}
MAY_IMPORT["bench"] = SCORING | {"analyse", "antecedents", "predict", "suite", "task"}
MAY_IMPORT["task"] = TEXTS | {"analyse", "align", "pronouns", "stats"}
MAY_IMPORT["predict"] = TEXTS | {"analyse", "antecedents", "task"}
MAY_IMPORT["recipes"] = TEXTS | {"analyse", "predict", "task"}
MAY_IMPORT["meta"] = TEXTS | {"metrics", "stats", "report"}
MAY_IMPORT["annotate"] = TEXTS | {"suite", "stats", "meta", "report"}
MAY_IMPORT["legacy"] = TEXTS | {"pronouns", "metrics", "task", "recipes"}
MAY_IMPORT["segment"] = TEXTS | {"align"}
MAY_IMPORT["scale"] = TEXTS | {"align", "analyse", "evaluation", "segment", "task", "verdict"}
MAY_IMPORT["demo"] = TEXTS
MAY_IMPORT["analyses"] = {*PIPELINE, "analyse", "predict"}
MAY_IMPORT["check"] = {*SCORING, "evaluation", "analyse", "antecedents", "predict", "segment", "verdict"}
MAY_IMPORT["scoring"] = {*PIPELINE, "analyses", "demo", "judge", "predict", "segment", "suite", "verdict"}
MAY_IMPORT["scoring"] |= {"analyse", "antecedents", "bench"}
MAY_IMPORT["pages"] = {"bench", "core", "evaluation", "meta", "predict", "report", "suite"}
MAY_IMPORT["integrations"] = {"core", "corpus", "scoring"}
MAY_IMPORT["cli"] = set(MAY_IMPORT) - {"cli", "integrations"}
MAY_IMPORT["__main__"] = {"cli"}


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
    return {name.split(".")[1] for name in names if name.startswith("anaphor.")}


def test_imports_follow_the_dependency_rules() -> None:
    breaches = {
        str(path.relative_to(SOURCE)): sorted(extra)
        for path in MODULES
        if package(path) != "__init__"
        and (extra := imported_packages(path) - {package(path)} - MAY_IMPORT[package(path)])
    }
    assert not breaches


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports_between_modules() -> dict[str, set[str]]:
    """Which of our modules each module imports, at its top or inside functions.

    Imports for type checkers alone do not count.
    """
    modules = {module_of(path): path for path in MODULES}
    imports: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        waiting: list[ast.AST] = [tree_of(path)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
                waiting += node.orelse
            elif isinstance(node, ast.ImportFrom):
                full = [f"{node.module}.{alias.name}" for alias in node.names]
                imports[name] |= {target if target in modules else node.module or "" for target in full}
            elif isinstance(node, ast.Import):
                imports[name] |= {alias.name for alias in node.names}
            else:
                waiting += ast.iter_child_nodes(node)
        # `anaphor` itself has the version and loads everything else at its first use.
        imports[name] = imports[name] & modules.keys() - {name, "anaphor"}
    return imports


def cycles(imports: dict[str, set[str]]) -> list[list[str]]:
    """What is left when everything has gone that imports nothing, or is imported by nothing, any more."""
    left = {name: set(others) for name, others in imports.items()}
    while True:
        imported = set().union(*left.values())
        ends = {name for name, others in left.items() if not others or name not in imported}
        if not ends:
            return [sorted(left)] if left else []
        left = {name: others - ends for name, others in left.items() if name not in ends}


def test_no_modules_import_each_other() -> None:
    """Neither at the top nor inside functions, where an import hides a cycle and does not break it."""
    assert not cycles(imports_between_modules())


PACKAGES = sorted(module_of(path) for path in MODULES if path.name == "__init__.py")


PARENTS = {name.rpartition(".")[0] for name in PACKAGES} - {""}


@pytest.mark.parametrize("parent", sorted(PARENTS))
def test_no_packages_import_each_other(parent: str) -> None:
    """Neither those of `anaphor` nor the subpackages of one package, at the top or inside functions."""
    depth = parent.count(".") + 2

    def child(module: str) -> str:
        return ".".join(module.split(".")[:depth])

    imports: dict[str, set[str]] = {
        name: set() for name in PACKAGES if child(name) == name and name.startswith(f"{parent}.")
    }
    for module, others in imports_between_modules().items():
        if child(module) in imports:
            imports[child(module)] |= {child(other) for other in others} & imports.keys() - {child(module)}
    assert imports
    assert not cycles(imports)


def test_cycles_are_found() -> None:
    assert not cycles({"a": {"b"}, "b": {"c"}, "c": set(), "d": {"a", "c"}})
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_one_module_decides_between_compiled_code_and_python() -> None:
    users = {p.name for p in MODULES if "_native" in re.findall(r"\w+", p.read_text(encoding="utf-8"))}
    assert users == {"engine.py"}


def test_core_needs_the_standard_library_alone() -> None:
    import sys

    paths = list((SOURCE / "core").glob("*.py"))
    assert paths
    for path in paths:
        for node in tree_of(path).body:  # top level: not under TYPE_CHECKING
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = (
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                )
                roots = {name.split(".")[0] for name in names}
                assert roots <= sys.stdlib_module_names | {"anaphor"}, path.name


def test_no_two_classes_have_the_same_name() -> None:
    """Whoever reads a name in an error, a signature or an import knows which class it is."""
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())
    assert len(places) > 500
    assert not {name: paths for name, paths in places.items() if len(paths) > 1}


def test_a_type_of_arrays_has_one_name() -> None:
    alias = re.compile(r"^(?:Bools|Ints|Longs|Floats|Doubles)\b.*NDArray", re.MULTILINE)
    assert {path.name for path in MODULES if alias.search(path.read_text(encoding="utf-8"))} == {
        "array_types.py"
    }


def test_no_module_is_a_grab_bag() -> None:
    assert not {p.stem for p in MODULES} & {"utils", "util", "helpers", "common", "misc", "manager"}


def test_nothing_unsafe_is_called() -> None:
    assert MODULES
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "eval(", "exec(", "shell=True", "yaml.load"):
            # Not inside a longer name: `export_lm_eval(` evaluates nothing.
            assert not re.search(rf"(?<!\w){re.escape(word)}", text), f"{path.name} has {word}"
