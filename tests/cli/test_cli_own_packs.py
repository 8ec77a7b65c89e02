"""A language and a pair of the user's own in every verb that tokenizes, builds, annotates or predicts."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

ITALIAN = """\
forms = [
    { form = "esso", person = 3, number = "singular", gender = "masculine", case = "any" },
    { form = "essa", person = 3, number = "singular", gender = "feminine", case = "any" },
    { form = "essi", person = 3, number = "plural", gender = "masculine", case = "any" },
    { form = "esse", person = 3, number = "plural", gender = "feminine", case = "any" },
]
about = { name = "Italian", script = "Latin", facts = "Standard grammar.", licence = "Apache-2.0" }

[tokens.proclitics]
"l'" = []
"""
PAIR = """\
source_pronouns = ["it", "they"]
target_pronouns = ["esso", "essa", "essi", "esse"]
object_pronouns = []
identical = []
equivalent = []
likely = { it = ["esso", "essa"], they = ["essi", "esse"] }
about = { facts = "Standard grammar.", licence = "Apache-2.0" }

[prediction]
source_pronouns = ["it", "they"]
fillers = ["esso", "essa", "essi", "esse"]

[[prediction.classes]]
years = [2017]
labels = ["esso", "essa", "essi", "esse"]
"""
#: English, the reference, a system.
TEXT = (
    ("I bought a house.", "Ho comprato una casa.", "Ho comprato una casa."),
    ("It is old.", "Essa è vecchia.", "Esso è vecchio."),
    ("I bought a book.", "Ho comprato un libro.", "Ho comprato un libro."),
    ("It is old.", "Esso è vecchio.", "Esso è vecchio."),
    ("I bought two books.", "Ho comprato due libri.", "Ho comprato due libri."),
    ("They are old.", "Essi sono vecchi.", "Essi sono vecchi."),
    ("I bought two houses.", "Ho comprato due case.", "Ho comprato due case."),
    ("They are old.", "Esse sono vecchie.", "Essi sono vecchi."),
) * 3
BUILD = "suite build --corpus text.en --reference human=text.nap --pair en-nap --packs packs --output suite"


@pytest.fixture
def italian(folder: Path, anaphor: Command) -> Command:
    """Runs the command in a folder with packs and texts in Italian, under a code without a built-in pack."""
    (folder / "packs").mkdir()
    (folder / "packs/nap.toml").write_text(ITALIAN, encoding="utf-8")
    (folder / "packs/en-nap.toml").write_text(PAIR, encoding="utf-8")
    for name, lines in zip(("text.en", "text.nap", "system.nap"), zip(*TEXT, strict=True), strict=True):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        code, out, err = anaphor(*arguments)
        assert code == 0, err
        return code, out, err

    return run


def test_a_suite_is_built_checked_and_evaluated(italian: Command, anaphor: Command) -> None:
    italian(*BUILD.split())
    assert "packs " in Path("suite/suite.toml").read_text(encoding="utf-8")
    assert (
        "holds  human: as a candidate it matches" in italian("suite", "check", "suite", "--packs", "packs")[1]
    )
    evaluate = ("suite", "evaluate", "suite", "--candidate", "text.nap", "system.nap")
    _, out, _ = italian(*evaluate, "--packs", "packs", "--json")
    found = json.loads(out)
    scores = [system["tallies"][-1]["accuracy"] for system in found["systems"]]
    assert scores[0] == 1 > scores[1]
    assert len(found["signature"]["packs"]) == 12
    code, _, err = anaphor(*evaluate)
    assert code == 1
    assert "no tokenizer for the language nap" in err
    assert "--packs" in err


def test_a_suite_goes_to_protest_and_back_with_the_tokens_of_the_pack(
    italian: Command, anaphor: Command
) -> None:
    Path("text.nap").write_text(
        Path("text.nap").read_text(encoding="utf-8").replace("una casa", "l'altra casa"), encoding="utf-8"
    )
    italian(*BUILD.split())
    italian("suite", "export", "suite", "--protest", "suite.db", "--packs", "packs")
    with sqlite3.connect("suite.db") as database:
        lines = [line for (line,) in database.execute("SELECT sentence FROM sentences")]
    assert "Ho comprato l' altra casa ." in lines
    assert anaphor("suite", "import", "suite.db", "--output", "again")[0] == 1
    italian("suite", "import", "suite.db", "--packs", "packs", "--output", "again")


def test_the_choices_of_gap_filling_come_from_the_pack(italian: Command) -> None:
    pytest.importorskip("sqlalchemy", reason="campaigns need the extra `annotate`")
    italian(*BUILD.split())
    init = ("annotate", "init", "gaps.db", "--suite", "suite", "--candidate", "system.nap", "--mode", "gaps")
    italian(*init, "--annotators", "ann", "--packs", "packs")
    with sqlite3.connect("gaps.db") as database:
        ((facts,),) = database.execute("SELECT facts FROM campaign")
    assert json.loads(facts)["choices"][:4] == ["esso", "essa", "essi", "esse"]


def test_a_text_is_tokenized_for_a_language_model(italian: Command) -> None:
    Path("more.nap").write_text("Ecco l'altra casa.\n" * 9, encoding="utf-8")
    train = ("task", "lm", "train", "--text", "more.nap", "--tokenize", "nap", "--packs", "packs")
    italian(*train, "--order", "2", "--discount-fallback", "--output", "nap.arpa")
    assert "\tl'" in Path("nap.arpa").read_text(encoding="utf-8")


@pytest.mark.parametrize("family", ["lm-fill", "source-aware-lm", "linear-svm"])
def test_a_model_for_a_pair_of_the_user_is_trained_saved_and_read(italian: Command, family: str) -> None:
    if family == "linear-svm":
        pytest.importorskip("sklearn", reason="the linear recipes need the extra `classic`")
    recipe = f'name = "mine"\ntitle = "t"\nfamily = "{family}"\nidea = "i"\npaper = "none"\n'
    recipe += 'training = "x"\npairs = ["en-nap"]\n'
    recipe += "[features.lm]\n" if family == "linear-svm" else "[options]\norder = 2\n"
    Path("mine.toml").write_text(recipe, encoding="utf-8")
    rows = []
    for english, italian_line, _ in TEXT:
        words = italian_line.lower().replace(".", " .").split()
        label = words[0] if words[0].startswith("ess") else ""
        target = " ".join(["REPLACE_0", *words[1:]] if label else words)
        rows.append(f"{label}\t{label}\t{english.replace('.', ' .')}\t{target}\t0-0 1-1 2-2 3-3\n")
    Path("train.tsv").write_text("".join(rows), encoding="utf-8")
    train = ("predict", "train", "mine.toml", "--pair", "en-nap", "--packs", "packs", "--train", "train.tsv")
    italian(*train, "--output", "model")
    _, out, _ = italian("predict", "evaluate", "model", "train.tsv", "--packs", "packs", "--json")
    assert '"en-nap"' in out
    _, out, _ = italian(
        "predict", "run", "model", "train.tsv", "--pair", "en-nap", "--packs", "packs", "--format", "labels"
    )
    assert out.split()
    assert set(out.split()) <= {"esso", "essa", "essi", "esse"}
