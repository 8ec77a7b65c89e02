"""`anaphor predict postedit` and `anaphor score --predictor` with the model that ships."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

SOURCE = """\
The chairs are new .
I think that they are expensive .
The boys are asleep .
They are tired .
"""
CANDIDATE = """\
Les chaises sont neuves .
Je pense qu' ils sont chers .
Les garçons dorment .
Ils sont fatigués .
"""
EDITED = CANDIDATE.replace("qu' ils sont", "qu' elles sont")
ASK = (
    "predict postedit --pair en-fr --source text.en --candidate mt.fr --documents docs "
    "--tokenized --threshold 0.6"
)
SCORE = (
    "score --pair en-fr --source text.en --reference right.fr --candidate mt.fr --documents docs --samples 0"
)


@pytest.fixture
def ask(folder: Path, anaphor: Command) -> Command:
    """Runs a command, given as words in one string, on a text with one wrong pronoun."""
    texts = {"text.en": SOURCE, "mt.fr": CANDIDATE, "right.fr": EDITED, "docs": "a\na\nb\nb\n"}
    for name, content in texts.items():
        (folder / name).write_text(content, encoding="utf-8")
    return lambda command, *more: anaphor(*command.split(), *more)


def test_a_wrong_pronoun_is_proposed_with_reason_warning_and_diff(ask: Command, folder: Path) -> None:
    code, out, err = ask(ASK)
    assert (code, err) == (0, "")
    assert "2 source pronouns, 2 predicted; proposals at 0.6: 1, held back: 0" in out
    assert "chaises (line 1)" in out
    assert "warning: line 2, elles: agreement: chers -> chères?" in out
    assert "-Je pense qu' ils sont chers .\n+Je pense qu' elles sont chers ." in out
    assert "postedit|model:anaphor-2-small|hash:" in out
    assert (folder / "mt.fr").read_text(encoding="utf-8") == CANDIDATE


def test_the_page_shows_every_proposal_in_its_lines(ask: Command, folder: Path) -> None:
    attack = SOURCE.replace("The chairs", "The <b>chairs</b>")
    (folder / "text.en").write_text(attack, encoding="utf-8")
    assert ask(ASK, "--report", "page.html")[0] == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert '<dd>I think that <mark class="pronoun">they</mark> are expensive .</dd>' in page
    assert "<dd>Je pense qu&#x27; <del>ils</del><ins>elles</ins> sont chers .</dd>" in page
    assert "<dt>check</dt><dd>agreement: chers -&gt; chères?</dd>" in page
    assert "The &lt;b&gt;chairs&lt;/b&gt; are new ." in page
    assert page.count("<article>") == 1


def test_the_proposals_are_applied_on_request_alone(ask: Command, folder: Path) -> None:
    assert ask(ASK, "--apply", "--output", "edited.fr")[0] == 0
    assert (folder / "edited.fr").read_text(encoding="utf-8") == EDITED
    assert (folder / "mt.fr").read_text(encoding="utf-8") == CANDIDATE


def test_the_candidate_is_replaced_where_it_is_named_as_the_output(ask: Command, folder: Path) -> None:
    assert ask(ASK, "--apply", "--output", "mt.fr")[0] == 0
    assert (folder / "mt.fr").read_text(encoding="utf-8") == EDITED


def test_json_has_every_probability(ask: Command) -> None:
    content = json.loads(ask(ASK, "--json")[1])
    (proposal,) = content["proposals"]
    found = {
        key: proposal[key] for key in ("segment", "token", "old", "new", "old_class", "new_class", "edit")
    }
    assert found == {
        "segment": 1,
        "token": 3,
        "old": "ils",
        "new": "elles",
        "old_class": "ils",
        "new_class": "elles",
        "edit": {"start": 13, "end": 16, "text": "elles"},
    }
    assert sum(proposal["probabilities"].values()) == pytest.approx(1, abs=1e-4)
    assert proposal["agrees_with"] == {"segment": 0, "word": "chaises"}


def test_links_can_be_given(ask: Command, folder: Path) -> None:
    (folder / "links").write_text("0-0\n3-3\n0-0\n0-0\n", encoding="utf-8")
    content = json.loads(ask(ASK, "--json", "--alignment", "links")[1])
    assert [one["token"] for one in content["proposals"]] == [3]
    assert content["signature_fields"]["links"] == "given"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--apply"], "belong together"),
        (["--output", "x.fr"], "belong together"),
        (["--threshold", "0"], "above 0 and at most 1, got 0.0"),
        (["--model", "oracle"], "unknown model: oracle"),
        (["--pair", "en-es"], "en-es"),
        (["--candidate", "docs", "--source", "nothing"], "nothing"),
    ],
)
def test_mistakes_are_told_and_nothing_is_written(
    ask: Command, folder: Path, more: list[str], message: str
) -> None:
    before = sorted(path.name for path in folder.iterdir())
    code, out, err = ask(ASK, *more)
    assert (code, out) == (1, "")
    assert message in err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_pair_must_be_named_for_a_model_of_several(ask: Command, folder: Path) -> None:
    """The German *Er* was compared with French classes."""
    (folder / "mt.de").write_text("Der Stuhl ist neu .\nEr ist teuer .\n", encoding="utf-8")
    (folder / "two.en").write_text("The chair is new .\nIt is expensive .\n", encoding="utf-8")
    command = "predict postedit --source two.en --candidate mt.de --tokenized"
    code, out, err = ask(command)
    assert (code, out) == (1, "")
    assert "trained for several pairs, but none is given" in err
    code, out, err = ask(command, "--pair", "en-de", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["signature_fields"]["pair"] == "en-de"


def test_a_hint_is_shown_beside_the_scores_and_changes_none(ask: Command) -> None:
    plain, hinted = (json.loads(ask(SCORE, "--json", *more)[1]) for more in ([], PREDICTOR))
    hints = hinted.pop("predictor_hints")
    assert hints["predicted"] == {"mt": 2}
    assert [(one["segment"], one["token"], one["word"]) for one in hints["hints"]["mt"]] == [(1, 3, "ils")]
    assert hints["signature"].startswith("hint|model:anaphor-2-small|hash:")
    assert {key: value for key, value in hinted.items() if key != "seal"} == {
        key: value for key, value in plain.items() if key != "seal"
    }


PREDICTOR = ["--predictor", "anaphor-2-small", "--unlikely", "0.4"]


@pytest.mark.parametrize("layout", [[], ["--latex"], ["--markdown"]])
def test_every_layout_shows_the_hint_as_a_hint(ask: Command, layout: list[str]) -> None:
    out = ask(SCORE, *PREDICTOR, *layout)[1]
    assert "hint, not a score: pronouns less probable than 0.4" in out
    assert "mt: 1 of 2 pronouns" in out
    assert "ils for they" in out


def test_cards_and_report_keep_the_hint_and_the_file_verifies(ask: Command, folder: Path) -> None:
    keep = ["--cards", "--output", "result.json", "--report", "report.html"]
    assert ask(SCORE, *PREDICTOR, *keep)[0] == 0
    content = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    cards = content["cards"]["judged"]["mt"]
    assert [card.get("hint", {}).get("likelier") for card in cards] == ["elles", None]
    assert "hint, not a score: probability" in (folder / "report.html").read_text(encoding="utf-8")
    assert ask("verify result.json")[0] == 0
    assert ask("report result.json --output again.html")[0] == 0
    assert "hint, not a score: probability" in (folder / "again.html").read_text(encoding="utf-8")


def test_a_predictor_needs_a_metric_that_judges_pronouns(ask: Command) -> None:
    code, _, err = ask(SCORE, "--predictor", "anaphor-2-small", "--metrics", "bleu")
    assert code == 1
    assert "no metric judges pronouns" in err
