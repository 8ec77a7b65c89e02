"""The whole preparation on small texts: same bytes however it is run, and nothing half-written."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.align import AlignerChoice
from anaphor.core import (
    Alignment,
    InputError,
    LanguagePair,
    MismatchError,
    OptionError,
    TaskSegment,
    UserError,
)
from anaphor.task import read_task, task_classes
from anaphor.task.files import documents_beside
from anaphor.task.prepare.placeholders import PronounFilter
from anaphor.task.prepare.plan import PART, PreparationPlan, written_links
from anaphor.task.prepare.preparation import LinkConfig, Preparation
from anaphor.task.prepare.texts import TextPair

EN_FR = LanguagePair("en", "fr")
EN = "It is raining .\nThe car is red . They like it .\nNothing here .\n"
FR = "Il pleut .\nLa voiture est rouge . Ils aiment ça .\nRien ici .\n"
LINKS = "0-0 2-1 3-2\n0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8\n0-0 1-1 2-2\n"


def silent(_: str) -> None:
    """Progress that nobody watches."""


@pytest.fixture
def prepare(tmp_path: Path) -> Callable[..., list[TaskSegment]]:
    """Prepares texts, by given links unless told otherwise, and reads the segments back."""

    def run(
        source: str = EN,
        target: str = FR,
        links: str | None = LINKS,
        *,
        pair: LanguagePair = EN_FR,
        output: str = "out.tsv",
        workers: int = 1,
        **more: object,
    ) -> list[TaskSegment]:
        for name, text in (("source", source), ("target", target), ("links", links or "")):
            (tmp_path / name).write_text(text, encoding="utf-8")
        file = None if links is None else str(tmp_path / "links")
        options = {"style": 2015, "tokenized": True} | more
        plan = PreparationPlan(pair=pair, **options)  # type: ignore[arg-type]
        text_pair = TextPair(source=str(tmp_path / "source"), target=str(tmp_path / "target"))
        linking = LinkConfig(choice=AlignerChoice(pair=pair), file=file)
        Preparation((text_pair,), plan, linking).run(tmp_path / output, workers=workers, progress=silent)
        classes = task_classes(pair, year=plan.style)
        return list(
            read_task(tmp_path / output, classes=classes, documents=documents_beside(tmp_path / output))
        )

    return run


def slots(segments: list[TaskSegment]) -> list[tuple[str | None, str | None]]:
    return [(slot.label, slot.word) for segment in segments for slot in segment.slots]


def test_2015_hides_objects_too_and_keeps_word_forms(prepare: Callable[..., list[TaskSegment]]) -> None:
    segments = prepare()
    assert slots(segments) == [("il", "Il"), ("ils", "Ils"), ("ça", "ça")]
    assert " ".join(segments[1].target) == "La voiture est rouge . REPLACE_5 aiment REPLACE_7 ."
    assert [segment.document for segment in segments] == ["text"] * 3


@pytest.mark.parametrize(("tags", "verb"), [("universal", "VERB"), ("french", "VER")])
def test_2016_hides_subjects_and_writes_lemmas_with_tags(
    prepare: Callable[..., list[TaskSegment]], tags: str, verb: str
) -> None:
    segments = prepare(style=2016, tags=tags)
    assert slots(segments) == [("il", "Il|PRON"), ("ils", "Ils|PRON")]
    assert f"être|{verb}" in segments[1].target


def test_words_keep_their_forms_on_request(prepare: Callable[..., list[TaskSegment]]) -> None:
    segments = prepare(style=2016, forms=True)
    assert slots(segments) == [("il", "Il"), ("ils", "Ils")]
    assert segments[1].target[:7] == prepare(style=2015)[1].target[:7]


def test_objects_stay_if_all_pronouns_are_requested(prepare: Callable[..., list[TaskSegment]]) -> None:
    segments = prepare(style=2017, filter=PronounFilter(subjects=False))
    assert slots(segments) == [("il", "Il|PRON"), ("ils", "Ils|PRON"), ("cela", "ça|PRON")]


def test_links_are_made_where_none_are_given(prepare: Callable[..., list[TaskSegment]]) -> None:
    assert slots(prepare(links=None))[:2] == [("il", "Il"), ("ils", "Ils")]


def test_spanish_verbs_without_a_subject_are_examples(prepare: Callable[..., list[TaskSegment]]) -> None:
    segments = prepare(
        "Dijo que la casa era grande .\n",
        "She said that the house was big .\n",
        "0-1 1-2 2-3 3-4 4-5 5-6 6-7\n",
        pair=LanguagePair("es", "en"),
        style=2017,
    )
    assert slots(segments) == [("she", "She|PRON")]
    assert segments[0].target[0] == "REPLACE_0"


def test_pairs_that_a_file_cannot_hold_are_counted_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("It rains\n\nIt\n", encoding="utf-8")
    (tmp_path / "a.fr").write_text("Il pleut\nRien\nREPLACE_0\n", encoding="utf-8")
    (tmp_path / "links").write_text("0-0\n\n0-0\n", encoding="utf-8")
    text = TextPair(source=str(tmp_path / "a.en"), target=str(tmp_path / "a.fr"))
    linking = LinkConfig(choice=AlignerChoice(pair=EN_FR), file=str(tmp_path / "links"))
    plan = PreparationPlan(pair=EN_FR, style=2015)
    report = Preparation((text,), plan, linking).run(tmp_path / "o.tsv", workers=1, progress=silent)
    assert report.segments == 1
    assert report.left_out == {"one side is empty": 1, "a target word looks like REPLACE_k": 1}
    assert report.placed == {"linked": 1}


def test_workers_and_compression_change_no_line(
    prepare: Callable[..., list[TaskSegment]], tmp_path: Path
) -> None:
    times = PART // 3 + 2  # two parts
    texts = (EN * times, FR * times, LINKS * times)
    prepare(*texts, output="one.tsv", workers=1)
    prepare(*texts, output="two.tsv.gz", workers=2)
    assert gzip.decompress((tmp_path / "two.tsv.gz").read_bytes()) == (tmp_path / "one.tsv").read_bytes()
    assert not list(tmp_path.glob("*.parts"))


def test_an_interrupted_run_leaves_no_output_and_goes_on_from_its_parts(
    prepare: Callable[..., list[TaskSegment]], tmp_path: Path
) -> None:
    times = PART // 3 + 2
    good, bad = LINKS * times, LINKS * (times - 1) + "0-0\n0-99\n\n"
    (tmp_path / "out.tsv").write_text("what was there\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"links:{3 * times - 1}"):
        prepare(EN * times, FR * times, bad)
    assert (tmp_path / "out.tsv").read_text(encoding="utf-8") == "what was there\n"
    first = tmp_path / "out.tsv.parts" / "000000.segments"
    made = first.stat().st_mtime_ns
    with pytest.raises(InputError):
        prepare(EN * times, FR * times, bad)
    assert first.stat().st_mtime_ns == made  # the finished part was not made again
    assert len(prepare(EN * times, FR * times, good)) == 3 * times  # another job, from the start
    assert not (tmp_path / "out.tsv.parts").exists()


def test_a_mistake_in_a_worker_reaches_the_user(prepare: Callable[..., list[TaskSegment]]) -> None:
    times = PART // 3 + 2
    with pytest.raises(InputError, match="points outside the sentence"):
        prepare(EN * times, FR * times, LINKS * (times - 1) + "0-0\n0-99\n\n", workers=2)


CONLLU = """1	It	it	PRON	_	_	2	nsubj	_	_
2	rains	rain	VERB	_	_	0	root	_	_

"""
CONLLU_FR = CONLLU.replace("It\tit", "Il\tlui").replace("rains\train", "pleut\tpleuvoir")


def test_analyses_made_elsewhere_are_used(prepare: Callable[..., list[TaskSegment]], tmp_path: Path) -> None:
    (tmp_path / "en.conllu").write_text(CONLLU, encoding="utf-8")
    (tmp_path / "fr.conllu").write_text(CONLLU_FR, encoding="utf-8")
    models = {"source_model": str(tmp_path / "en.conllu"), "target_model": str(tmp_path / "fr.conllu")}
    segments = prepare("It rains\n", "Il pleut\n", "0-0 1-1\n", style=2016, analyser="conllu", **models)
    assert segments[0].target == ("REPLACE_0", "pleuvoir|VERB")
    with pytest.raises(MismatchError):
        prepare("It rains\n" * 2, "Il pleut\n" * 2, "0-0\n" * 2, style=2016, analyser="conllu", **models)


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"style": 2014}, OptionError, "2014"),
        ({"tags": "french", "pair": LanguagePair("en", "de"), "style": 2016}, OptionError, "tags"),
        ({"source": "\n\n\n"}, InputError, "no segments"),
        ({"links": "0-0\n"}, MismatchError, "links"),
        ({"output": "missing/out.tsv"}, OptionError, "folder does not exist"),
        ({"style": 2016, "analyser": "conllu"}, OptionError, "CoNLL-U"),
    ],
)
def test_impossible_requests_are_errors_without_output(
    prepare: Callable[..., list[TaskSegment]],
    tmp_path: Path,
    more: dict[str, object],
    error: type[UserError],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        prepare(**more)
    assert not (tmp_path / "out.tsv").exists()


def test_every_option_and_input_names_another_job(tmp_path: Path) -> None:
    for name in ("a.en", "a.fr", "b.fr"):
        (tmp_path / name).write_text(f"{name}\n", encoding="utf-8")

    def digest(target: str = "a.fr", **more: object) -> str:
        text = TextPair(source=str(tmp_path / "a.en"), target=str(tmp_path / target))
        plan = PreparationPlan(pair=EN_FR, **{"style": 2015} | more)  # type: ignore[arg-type]
        return Preparation((text,), plan, LinkConfig(choice=AlignerChoice(pair=EN_FR))).digest()

    found = [digest(), digest("b.fr"), digest(style=2016), digest(style=2017), digest(tokenized=True)]
    assert len(set(found)) == len(found)
    assert digest() == found[0]


@pytest.mark.parametrize(
    ("output", "documents"),
    [("train.tsv", "train.doc-ids"), ("a.b.tsv.gz", "a.b.doc-ids.gz"), ("train", "train.doc-ids")],
)
def test_document_ids_lie_beside_the_output(output: str, documents: str) -> None:
    assert documents_beside(Path(output)) == Path(documents)


def test_links_of_exactly_the_threshold_are_written() -> None:
    links = Alignment((0, 1, 2), (0, 1, 2), confidence=(0.25, 0.24, 0.9))
    assert written_links(links, 0.25) == Alignment((0, 2), (0, 2))
    assert written_links(Alignment((0,), (0,)), 0.25) == Alignment((0,), (0,))
