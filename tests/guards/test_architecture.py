"""Who may import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "anaphor"
MODULES = sorted(SOURCE.rglob("*.py"))

#: The packages that each package may import; `docs/architecture.md` draws the same rules.
PIPELINE = ("core", "stats", "languages", "corpus", "align", "pronouns", "metrics", "report")
MAY_IMPORT = {name: set(PIPELINE[:i]) for i, name in enumerate(PIPELINE)}
# Texts and languages come without statistics.
for name in ("languages", "corpus", "align", "pronouns"):
    MAY_IMPORT[name] -= {"stats"}
MAY_IMPORT["analyse"] = {"core", "languages", "corpus"}
MAY_IMPORT["antecedents"] = {"core", "languages", "corpus", "align", "analyse"}
MAY_IMPORT["verdict"] = {"core", "languages", "analyse", "antecedents"}
MAY_IMPORT["metrics"] |= {"analyse", "antecedents", "verdict"}
MAY_IMPORT["suite"] = {*PIPELINE[:-1], "analyse", "segment"}
MAY_IMPORT["bench"] = {*PIPELINE[:-1], "analyse", "antecedents", "predict", "suite", "task"}
MAY_IMPORT["task"] = {"core", "languages", "corpus", "analyse", "align", "pronouns", "stats"}
MAY_IMPORT["predict"] = {"core", "languages", "corpus", "analyse", "antecedents", "task"}
MAY_IMPORT["recipes"] = {"core", "languages", "corpus", "analyse", "predict", "task"}
MAY_IMPORT["meta"] = {"core", "languages", "corpus", "metrics", "stats", "report"}
MAY_IMPORT["annotate"] = {"core", "languages", "corpus", "suite", "stats", "meta", "report"}
MAY_IMPORT["legacy"] = {"core", "languages", "corpus", "pronouns", "metrics", "task", "recipes"}
MAY_IMPORT["segment"] = {"core", "languages", "corpus", "align"}
MAY_IMPORT["scale"] = {"core", "languages", "corpus", "align", "segment", "task"}
# Cards, examples and gates need what an experiment chose.
MAY_IMPORT["report"].add("experiment")
# Whoever has a compiled counterpart.
for user in (
    "align",
    "analyse",
    "corpus",
    "languages",
    "predict",
    "pronouns",
    "recipes",
    "segment",
    "stats",
    "task",
):
    MAY_IMPORT[user].add("engine")
# Packages whose names are imported when they are first used.
for user in ("align", "bench", "core", "metrics"):
    MAY_IMPORT[user].add("lazy")
TOP = set(MAY_IMPORT)
MAY_IMPORT |= {
    "engine": set(),
    "lazy": set(),
    "licences": {"core"},
    "experiment": (set(PIPELINE) | {"analyse", "predict", "segment", "verdict"}) - {"report"},
    "pipeline": {"core", "corpus", "experiment", "languages", "metrics", "postediting", "pronouns", "stats"},
    "demo": {"core", "corpus"},
    "selfcheck": (set(PIPELINE) | {"demo", "experiment", "suite"}) - {"report"},
    "bounds": {"core", "corpus", "experiment", "metrics", "pipeline", "stats"},
    "functions": {"analyse", "core", "experiment", "metrics", "pipeline"},
    "sensitivity": {"align", "core", "corpus", "experiment", "pipeline"},
    "verification": {"analyses", "core", "experiment", "pipeline", "report"},
    "reporting": {"bench", "core", "meta", "postediting", "predict", "report", "suite"},
    "hints": {"core", "experiment", "postediting", "predict", "report"},
    "analyses": {
        *("bounds", "core", "experiment", "functions", "hints", "predict", "report", "sensitivity"),
    },
    "scoring": {"analyses", "core", "corpus", "experiment", "pipeline", "report", "segment"},
    "postediting": {"core", "corpus", "experiment", "predict", "pronouns"},
    "cli": TOP
    | {
        "analyses",
        "demo",
        "engine",
        "experiment",
        "functions",
        "licences",
        "pipeline",
        "postediting",
        "reporting",
        "scoring",
        "selfcheck",
        "sensitivity",
        "verification",
    },
    "integrations": {"core", "corpus", "scoring"},
    "__main__": {"cli"},
}


def package(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


def test_one_module_decides_between_compiled_code_and_python() -> None:
    users = {p.name for p in MODULES if "_native" in re.findall(r"\w+", p.read_text(encoding="utf-8"))}
    assert users == {"engine.py"}


def test_core_needs_the_standard_library_alone() -> None:
    import sys

    for path in (SOURCE / "core").glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # top level: not under TYPE_CHECKING
            if isinstance(node, ast.ImportFrom | ast.Import):
                names = (
                    [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
                )
                roots = {name.split(".")[0] for name in names}
                assert roots <= sys.stdlib_module_names | {"anaphor"}, path.name


def test_no_module_is_a_grab_bag() -> None:
    assert not {p.stem for p in MODULES} & {"utils", "util", "helpers", "common", "misc", "manager"}


def test_nothing_unsafe_is_called() -> None:
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "eval(", "exec(", "shell=True", "yaml.load"):
            # Not inside a longer name: `export_lm_eval(` evaluates nothing.
            assert not re.search(rf"(?<!\w){re.escape(word)}", text), f"{path.name} has {word}"
