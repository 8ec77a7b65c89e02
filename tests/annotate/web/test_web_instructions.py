"""What comes before the items and ends them: instructions, languages, consent, gates."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.campaign.people import begin, find_person
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.rules import TAG_HELP
from anaphor.annotate.store.audit import audit_log
from anaphor.annotate.types import Mode
from anaphor.annotate.web.guidance import pictures, standard_guidelines
from anaphor.annotate.web.language import (
    LANGUAGES,
    chosen_language,
    script_words,
    translations,
    words_in_scripts,
)
from anaphor.annotate.web.markdown import markdown

Send = Callable[..., dict[str, Any]]
WEB = Path(__file__).resolve().parents[3] / "src" / "anaphor" / "annotate" / "web"


def words_in_templates() -> set[str]:
    """Every word that a template translates as it stands."""
    texts = [page.read_text(encoding="utf-8") for page in (WEB / "pages").glob("*.html")]
    return {word for text in texts for word in re.findall(r'\b_\("([^"]+)"', text)}


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
def test_every_word_has_a_translation_with_the_same_places(language: str) -> None:
    words = translations(language)
    assert not (words_in_templates() | set(words_in_scripts()) | set(TAG_HELP.values())) - words.keys()
    for english, translated in words.items():
        assert translated.strip(), english
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", translated)), english
    assert len(script_words(language)) > 1000


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mode", [mode.value for mode in Mode])
def test_guidelines_are_in_every_language_and_examples_in_every_target(language: str, mode: str) -> None:
    shown = markdown(standard_guidelines(mode, language))
    assert shown.count("<li>") >= 3
    assert "**" not in shown
    assert len(pictures(language, mode)) >= 2
    for picture in (one for target in LANGUAGES for one in pictures(target, mode)):
        if language != "en":
            assert {picture.title, picture.outcome} <= translations(language).keys()


def test_the_guidelines_have_examples_of_the_language_of_the_translation(serve_small: Any) -> None:
    page = serve_small(pair="en-de").annotator().get("/guidelines").text
    assert "der Leuchter" in page
    assert "le lampadaire" not in page
    assert "lampadaire" in serve_small().annotator().get("/guidelines").text
    other = serve_small(pair="en-he").annotator().get("/guidelines").text
    assert "lampadaire" not in other
    assert "Be strict" in other


def test_the_interface_speaks_the_language_of_choice_campaign_and_browser(serve_small: Any) -> None:
    ann = serve_small().annotator()
    german = {"accept-language": "de-AT,de;q=0.9,en;q=0.8"}
    assert "Speichern und weiter" in ann.get("/", headers=german).text
    assert '<html lang="de">' in ann.get("/", headers=german).text
    assert ann.get("/language/fr").status_code == 200
    assert "Enregistrer et continuer" in ann.get("/", headers=german).text, (
        "a choice counts before the browser"
    )
    assert ann.get("/language/xx").status_code == 404
    spanish = serve_small(language="es").annotator()
    assert "Guardar y seguir" in spanish.get("/", headers=german).text


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        (("fr", "de"), "fr"),
        (("", "it", "pt,es;q=0.5,de;q=0.7"), "de"),
        (("", "", "nonsense;q=x,,;"), "en"),
        (("", "", "en-GB,fr"), "en"),
    ],
)
def test_the_first_wish_that_can_be_met_counts(wishes: tuple[str, ...], language: str) -> None:
    assert chosen_language(*wishes) == language


def test_markdown_is_escaped_and_small() -> None:
    text = (
        "# Title\n\nOne *two* **three** `<b>*x*` <script>\n- a\n- b\n\n[x](https://a.b/c) [y](javascript:z)"
    )
    shown = str(markdown(text))
    assert "<script>" not in shown
    assert "<h2>Title</h2>" in shown
    assert "<em>two</em> <strong>three</strong> <code>&lt;b&gt;*x*</code>" in shown
    assert "<ul><li>a</li><li>b</li></ul>" in shown
    assert 'href="https://a.b/c"' in shown
    assert "javascript:z" in shown
    assert 'href="javascript' not in shown


def test_consent_comes_before_everything(serve_small: Any) -> None:
    served = serve_small(consent="We store **your answers**.", guidelines="# Ours\n\nJudge *it*.")
    ann = served.annotator(begins=False)
    for path in ("/", "/items", "/items/next", "/items/at?position=1"):
        assert ann.get(path).url.path == "/start", path
    start = ann.get("/start").text
    assert "<strong>your answers</strong>" in start
    assert "<h2>Ours</h2>" in start
    assert re.search(r"\d+ items", start)
    key = list_assignments(served.store, served.person())[0].id
    refused = ann.send(f"/api/items/{key}/answer", {"request": "too-early-1", "version": 0, "answer": {}})
    assert refused.status_code == 403
    assert ann.post("/start").headers["location"] == "/start", "without agreeing nobody goes on"
    assert ann.post("/start", {"agreed": "1"}).headers["location"] == "/items/next"
    assert ann.get("/").url.path.startswith("/items/")
    assert [entry.actor for entry in audit_log(served.store) if entry.action == "consented"] == ["Ann"]


def test_too_many_failed_attention_items_stop_politely(serve_small: Any, answered: Send) -> None:
    served = serve_small(attention=1, attention_limit=1)
    ann = served.annotator()
    assignments = list_assignments(served.store, served.person())
    replies = [
        ann.send(f"/api/items/{row.id}/answer", answered(pronoun="unclear", antecedent="unset", go="next"))
        for row in assignments
    ]
    stopped = next(reply for reply in replies if "Thank you for your work" in reply.text)
    assert stopped.status_code == 200, "the answer itself is saved"
    assert ann.get("/items/next").url.path == "/stopped"
    assert find_person(served.store, "Ann").stopped == "attention"
    lead = served.lead()
    assert "stopped: attention" in lead.get("/lead/people").text
    assert lead.post("/lead/people/go-on", {"name": "Ann"}).status_code == 303
    assert ann.get("/items").url.path == "/items"
    begin(served.store, find_person(served.store, "Ann"), agreed=False)


def test_practice_counts_by_its_first_answer(serve_small: Any, answered: Send) -> None:
    served = serve_small(practice=1, practice_required=1.0)
    for name, mark, passes in (("Ann", "yes", True), ("Bob", "no", False)):
        visitor = served.annotator(name)
        row = list_assignments(served.store, served.person(name))[0]
        page = visitor.get(f"/items/{row.id}").text
        assert "Practice 1" in page
        head = "yes" if 'name="antecedent"' in page else "unset"
        framed = re.findall(r'name="words" value="(\d+)\.(\d+)"', page)
        words = [[int(segment), int(token)] for segment, token in framed] if mark == "yes" else []
        marks = answered(
            pronoun=mark, antecedent="no" if mark == "no" and head == "yes" else head, words=words
        )
        reply = visitor.send(f"/api/items/{row.id}/answer", marks)
        assert ("Thank you for your work" not in reply.text) == passes
        if passes:
            assert "Item 2" in reply.text, "a right practice answer needs no second key"
            assert "Right." in reply.text
