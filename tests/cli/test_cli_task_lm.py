"""`anaphor task lm`: train, tune, fill, perplexity, convert, and what users get wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

TEXT = """\
Le chat dort .
Le chien dort .
Le chat mange la souris .
La souris dort .
Il pleut .
Il dort .
Elle dort .
Elle mange .
Le chien mange .
Il mange la souris .
"""
DEV = """\
elle\telle\tthe cat , it sleeps .\tle chat REPLACE_3 dort .\t0-0 1-1 3-2
il\til\tit rains .\tREPLACE_0 pleut .\t0-0 1-1 2-2
\t\tno pronoun .\trien .\t0-0 2-1
"""
TASK = ("--pair", "en-fr", "--lower", "--model", "fr.arpa", "--scorer", "own")


@pytest.fixture
def lm(anaphor: Command, folder: Path) -> Command:
    """Runs `anaphor task lm` in a folder with a text, a model of it and development data."""
    (folder / "fr.txt").write_text(TEXT, encoding="utf-8")
    (folder / "dev.tsv").write_text(DEV, encoding="utf-8")
    train = ("train", "--text", "fr.txt", "--lower", "--order", "3", "--discount-fallback")
    assert anaphor("task", "lm", *train, "--output", "fr.arpa")[0] == 0
    return lambda *options: anaphor("task", "lm", *options)


def test_training_says_what_the_model_holds(lm: Command) -> None:
    options = ("--text", "fr.txt", "--lower", "--order", "3", "--discount-fallback", "--json")
    code, out, err = lm("train", *options, "--output", "other.arpa.gz")
    # Sizes as lmplz prints them for this text.
    assert code == 0
    assert json.loads(out)["ngrams"] == [14, 23, 29]
    assert "note: " in err
    assert gzip.decompress(Path("other.arpa.gz").read_bytes()) == Path("fr.arpa").read_bytes()


def test_a_text_can_be_tokenized_and_given_in_parts(lm: Command) -> None:
    Path("raw.txt").write_text("L'arbre dort.\nQu'il dorme!\n", encoding="utf-8")
    options = ("--text", "raw.txt", "fr.txt", "--tokenize", "fr", "--order", "2", "--discount-fallback")
    code, out, _ = lm("train", *options, "--output", "cut.arpa")
    assert code == 0
    assert out.startswith("cut.arpa: 47 words in 12 sentences")
    assert "\tL' arbre\t" not in Path("cut.arpa").read_text(encoding="utf-8")
    assert "\tL' arbre\n" in Path("cut.arpa").read_text(encoding="utf-8")


def test_the_penalty_is_tuned(lm: Command) -> None:
    code, out, _ = lm("tune", *TASK, "--dev", "dev.tsv", "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["best"], found["slots"], found["metric"]) == (-2.0, 2, "macro-recall")
    assert [trial["accuracy"] for trial in found["trials"]] == [0.5] * 4 + [1.0] * 5
    code, out, _ = lm("tune", *TASK, "--dev", "dev.tsv")
    assert "best: --penalty -2, on 2 placeholders" in out


def test_filled_files_keep_all_but_labels_and_words(lm: Command) -> None:
    code, out, _ = lm("fill", *TASK, "--penalty", "-1", "dev.tsv")
    lines = DEV.splitlines()
    assert code == 0
    expected = [lines[0].replace("elle\telle", "OTHER\tNONE"), lines[1], lines[2]]
    assert out.splitlines() == expected
    assert lm("fill", *TASK, "--penalty", "-1", "dev.tsv", "--output", "pred.tsv")[:2] == (0, "")
    assert Path("pred.tsv").read_text(encoding="utf-8") == out


@pytest.mark.parametrize("prune", [(), ("--legacy-prune",)])
@pytest.mark.parametrize(
    ("layout", "first"),
    [
        ("task", DEV.splitlines()[0]),
        ("replace", DEV.splitlines()[0].replace("REPLACE_3", "REPLACE")),
        ("predicted", "elle\telle"),
        ("both", "elle\telle"),
        ("compare", "elle\telle"),
    ],
)
def test_every_format_works_with_either_search(
    lm: Command, prune: tuple[str, ...], layout: str, first: str
) -> None:
    code, out, _ = lm("fill", *TASK, "--penalty", "-2", "--format", layout, *prune, "dev.tsv")
    assert code == 0
    assert out.splitlines()[0] == first


def test_a_converted_model_gives_the_same_perplexity(lm: Command) -> None:
    assert lm("convert", "--model", "fr.arpa", "--output", "fr.lm")[:2] == (
        0,
        "fr.lm: 66 n-grams up to length 3\n",
    )
    found = {}
    for model in ("fr.arpa", "fr.lm"):
        code, out, _ = lm(
            "perplexity", "--model", model, "--scorer", "own", "--text", "fr.txt", "--lower", "--json"
        )
        assert code == 0
        found[model] = json.loads(out)
    assert found["fr.lm"] == found["fr.arpa"]
    assert (found["fr.lm"]["tokens"], found["fr.lm"]["unknown"]) == (49, 0)
    assert lm("perplexity", "--model", "fr.lm", "--text", "fr.txt", "--lower")[1].startswith("49 words")


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("train", "--text", "absent.txt", "--output", "m.arpa"), "cannot be read"),
        (("train", "--text", "fr.txt", "--output", "absent/m.arpa"), "cannot be written"),
        (("train", "--text", "fr.txt", "--output", "m.arpa"), "discounts of 1-grams cannot be estimated"),
        (("train", "--text", "fr.txt", "--output", "m.arpa", "--order", "9"), "the order cannot be 9"),
        (("train", "--text", "fr.txt", "--output", "m.arpa", "--memory", "1M"), "too few"),
        (("train", "--text", "fr.txt", "--output", "m.arpa", "--tokenize", "xx"), "unknown language"),
        (("train", "--text", "fr.txt", "--output", "m.arpa", "--prune", "1"), "invalid pruning"),
        (("fill", *TASK, "--penalty", "1", "dev.tsv"), "the penalty cannot be 1.0"),
        (("fill", *TASK, "fr.txt"), "columns instead of 5"),
        (("fill", *TASK, "--format", "scores", "dev.tsv"), "that the released script examined"),
        (("fill", "--pair", "en-fr", "--model", "absent.lm", "dev.tsv"), "file not found"),
        (
            ("fill", "--pair", "en-fr", "--model", "dev.tsv", "--scorer", "own", "dev.tsv"),
            "not an ARPA model",
        ),
        (("fill", "--pair", "xx-yy", "--model", "fr.arpa", "dev.tsv"), "unknown language pair"),
        (("tune", *TASK, "--dev", "blind.tsv"), "no placeholder has a label"),
        (("perplexity", "--model", "fr.arpa", "--text", "empty.txt"), "no sentences"),
        (("convert", "--model", "fr.arpa", "--output", "fr.bin"), "does not end in .lm"),
    ],
)
def test_errors_are_explained(lm: Command, arguments: tuple[str, ...], what: str) -> None:
    Path("blind.tsv").write_text("\t\tit .\tREPLACE_0 .\t0-0\n", encoding="utf-8")
    Path("empty.txt").write_text("", encoding="utf-8")
    code, out, err = lm(*arguments)
    assert (code, out) == (1, "")
    assert what in err
    assert not Path("m.arpa").exists()


def test_an_invalid_size_is_a_usage_error(lm: Command, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        lm("train", "--text", "fr.txt", "--output", "m.arpa", "--memory", "much")
    with pytest.raises(SystemExit):  # more than any float can hold
        lm("train", "--text", "fr.txt", "--output", "m.arpa", "--memory", f"{'9' * 400}G")
    assert caught.value.code == 2
    assert "not a size such as 512M or 2G" in capsys.readouterr().err
