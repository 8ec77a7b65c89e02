"""A lead who looks closer: one annotator, filters, the log, stripes, growth on the page, names of formats."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from anaphor.annotate.judging.answers import save_answer
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import InputError
from anaphor.files.compression import read_zip
from anaphor.suite import write_suite
from tests.support.small_suite import SYSTEMS, small_suite


def plain(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.fixture
def closer(served: Any) -> Any:
    """Ann is slow and calls all right; Bob is quick, chooses no words and calls every head wrong."""
    for name, seconds in (("Ann", 30.0), ("Bob", 2.0)):
        person = served.person(name)
        for row in list_assignments(served.store, person):
            view = assignment_view(served.store, person, row.id)
            head = Mark.UNSET
            if view.asks_antecedent:
                head = Mark.YES if name == "Ann" else Mark.NO
            words = view.highlighted if name == "Ann" else ()
            answer = AnnotatorAnswer(antecedent=head, pronoun=Mark.YES, words=words)
            request, time = f"request-{row.position}", seconds + row.position
            save_answer(served.store, person, row.id, answer, version=0, request=request, seconds=time)
    return served


def test_a_lead_goes_from_an_annotator_to_answers_times_and_warnings(closer: Any) -> None:
    lea = closer.lead()
    assert 'href="/lead/annotator?name=Bob"' in lea.get("/lead").text
    page = plain(lea.get("/lead/annotator?name=Bob").text)
    assert "4 of 4, 4 with a warning" in page
    assert "choose the highlighted words" in page
    shortest = lea.get("/lead/annotator?name=Bob&order=shortest").text
    assert re.findall(r'data-label="seconds">([\d.]+)', shortest) == ["3.0", "4.0", "5.0", "6.0"]
    assert 'data-label="seconds"' not in lea.get("/lead/annotator?name=Ann&show=warned").text
    assert "No answer matches" in lea.get("/lead/annotator?name=Ann&show=failed").text
    assert lea.get("/lead/annotator?name=nobody").status_code == 404
    assert closer.annotator().get("/lead/annotator?name=Bob").status_code == 403


def test_pages_can_be_filtered_by_annotator(closer: Any) -> None:
    lea = closer.lead()
    for path in ("/lead/examples", "/lead/disagreements", "/lead/inbox", "/lead/log"):
        assert 'name="annotator"' in lea.get(path).text, path
        assert lea.get(f"{path}?annotator=Ann").status_code == 200
        assert lea.get(f"{path}?annotator=nobody").status_code == 404
    log = plain(lea.get("/lead/log?annotator=Ann").text)
    assert "Ann save" in log
    assert "Bob save" not in log
    page = lea.get("/lead/disagreements?annotator=Ann").text
    assert page.count("<article") == 2
    assert re.search(r'/lead/units/\w+\?[^"]*annotator=Ann', page), "the filter goes along"
    blind = lea.get("/lead/disagreements?blind=true&annotator=Ann").text
    assert 'name="annotator"' not in blind, "it would tell who has answered"


def test_disputes_about_the_antecedent_have_stripes_too(closer: Any) -> None:
    page = closer.lead().get("/lead/disagreements").text
    assert "answer-of right head-right" in page
    assert "answer-of right head-wrong" in page


def test_times_are_marked_so_that_the_browser_shows_them_in_its_zone(closer: Any) -> None:
    page = closer.lead().get("/lead/log").text
    assert re.search(r'<time datetime="[\d-]{10}T[^"]+Z">[\d-]{10} \d\d:\d\d UTC</time>', page)


def test_formats_have_names_in_words(closer: Any) -> None:
    page = plain(closer.lead().get("/lead/files").text)
    assert "Every change as JSON lines journal (.jsonl)" in page
    assert "All formats of one moment snapshot (.zip)" in page


def test_systems_are_added_on_the_page(closer: Any) -> None:
    lea = closer.lead()
    lines = "\n".join(SYSTEMS["secret-beta"]).replace("Elle", "Il")
    files = [("candidates", ("secret-gamma.txt", lines, "text/plain"))]
    grown = lea.post("/lead/growth", {"tokenized": "1"}, files=files)
    assert grown.status_code == 200, plain(grown.text)
    assert "Added: 1 systems, 0 items, 2 examples" in plain(grown.text)
    assert "secret-gamma" in lea.get("/lead/growth").text
    again = lea.post("/lead/growth", {"tokenized": "1"}, files=files)
    assert again.status_code == 400
    assert "already has a system secret-gamma" in plain(again.text)
    assert lea.post("/lead/growth").status_code == 400, "nothing was chosen"


def test_items_are_added_on_the_page_from_an_archive(closer: Any, tmp_path: Path) -> None:
    loaded, folder = small_suite(), tmp_path / "suite"
    write_suite(loaded.suite, folder, texts=loaded.texts)
    files = [path for path in folder.rglob("*") if path.is_file()]
    whole = {f"suite/{path.relative_to(folder)}": path.read_bytes() for path in files}

    def sent(names: dict[str, bytes]) -> Any:
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in names.items():
                archive.writestr(name, content)
        part = [("suite", ("suite.zip", data.getvalue(), "application/zip"))]
        return closer.lead().post("/lead/growth", {"tokenized": "1"}, files=part)

    same = sent(whole)
    assert same.status_code == 400
    assert "there is nothing to add" in plain(same.text), "the suite is read, and has nothing new"
    for name in ("../evil", "/etc/evil", "suite/../../evil", "a/b/c/d/e/f"):
        assert sent(whole | {name: b"x"}).status_code == 400, name
    broken = sent({name: content for name, content in whole.items() if not name.endswith("items.jsonl")})
    assert broken.status_code == 400
    assert "suite.zip" in broken.text
    assert "anaphor-suite-" not in broken.text, "the temporary folder is no business of the lead"


def test_an_archive_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", b"0" * 100_000)
    assert read_zip(data.getvalue(), where="a.zip") == {"zeros": b"0" * 100_000}
    monkeypatch.setenv("ANAPHOR_MAX_DECOMPRESSED", "50K")
    with pytest.raises(InputError, match="too large"):
        read_zip(data.getvalue(), where="a.zip")
    with pytest.raises(InputError, match="cannot be read"):
        read_zip(b"PK no archive", where="a.zip")
