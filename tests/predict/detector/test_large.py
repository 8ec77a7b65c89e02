"""The large detector with a tiny base model of the real layout."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'anaphor[neural]'")

import torch

from anaphor.cli.main import main
from anaphor.core import Alignment, LanguagePair, MarkedPronoun, OptionError, Settings, UserError
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.files.arrays import Array, read_arrays, write_arrays
from anaphor.predict.detector import PronounDetector
from anaphor.predict.detector.large import LargeDetector, folder, join_detector, large
from anaphor.predict.detector.large.adapter import AdapterCard, Scale, read_adapter, read_card, write_adapter
from anaphor.predict.detector.large.gguf import BASES, Gguf, GgufModel
from anaphor.predict.detector.large.text import (
    BEFORE,
    LONGEST,
    SENTENCE,
    TEMPLATE,
    Frame,
    MarkedLine,
    word_spans,
)
from anaphor.predict.detector.large.tokenizer import tokenizer_of
from tests.predict.detector.tiny_base import tiny_gemma
from tools.detector import teacher
from tools.detector.base import cut
from tools.detector.pack import pack_teacher
from tools.detector.ship_large import arrays_of, scale_of

RANK = 4
SCALE = Scale(1.5, -0.25)
#: Two documents of the pair, and their pronouns: line, word, words of the rendering.
SOURCE = ("The lamp isn't old.", "It is in the hall,  and it hangs there.", "They see it.", "He is here.")
TARGET = ("Die Lampe ist nicht alt.", "Sie ist im Flur, und er hängt dort.", "Man sieht.", "Er ist da.")
SOURCE_WORDS = [
    "The lamp is n't old .",
    "It is in the hall , and it hangs there .",
    "They see it .",
    "He is here .",
]
TARGET_WORDS = [
    "Die Lampe ist nicht alt .",
    "Sie ist im Flur , und er hängt dort .",
    "Man sieht .",
    "Er ist da .",
]
MARKS = [
    MarkedPronoun(1, 0, (0,)),
    MarkedPronoun(1, 7, (6,)),
    MarkedPronoun(2, 2),
    MarkedPronoun(3, 0, (0, 1)),
]
#: A long line and many short ones, so that texts are cut and leave out context.
LONG = " ".join(["very old"] * 150)


class Parts(NamedTuple):
    """The files of one detector, and the folder that they were put into."""

    base: Path
    adapter: Path
    folder: Path
    cut: Path


@pytest.fixture(scope="module", autouse=True)
def on_a_processor() -> Iterator[None]:
    """A GPU would round differently."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.cuda, "is_available", lambda: False)
        patch.setattr(teacher, "DEVICE", "cpu")
        patch.setattr(teacher, "DTYPE", torch.float32)
        yield


def card(base: Path, languages: Sequence[str] = ("de", "es")) -> AdapterCard:
    found = hashlib.sha256(base.read_bytes()).hexdigest()
    learned = ({"name": "nothing", "licence": "none"},)
    scale = dict.fromkeys(languages, SCALE)
    tokenizer = tokenizer_of(Gguf(base).meta)
    frame = tuple(tuple(tokenizer.encode(line, add_special_tokens=False).ids) for line in TEMPLATE)
    return AdapterCard("tiny", found, RANK, tuple(languages), frame, "CC0-1.0", learned, scale)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parts]:
    place = tmp_path_factory.mktemp("large")
    base = tiny_gemma(place / "tiny.gguf")
    with pytest.MonkeyPatch.context() as patch:
        found = hashlib.sha256(base.read_bytes()).hexdigest()
        patch.setitem(BASES, "tiny", GgufModel("tiny Gemma", found, "a licence"))
        cut(base, None, place / "cut")
        torch.manual_seed(7)
        model = teacher.Detector(place / "cut", RANK)
        for name, value in model.trained().items():
            value.data.normal_(std=0.3 if name.startswith("decoder") else 1.0)
        teacher.save(model, place / "adapter.pt")
        state = torch.load(place / "adapter.pt", weights_only=True)
        write_adapter(place / "adapter.safetensors", card(base), arrays_of(state))
        join_detector(place / "joined", base=base, adapter=place / "adapter.safetensors")
        yield Parts(base, place / "adapter.safetensors", place / "joined", place / "cut")


@pytest.fixture
def copied(parts: Parts, tmp_path: Path) -> Path:
    """The folder again, to be damaged."""
    return Path(shutil.copytree(parts.folder, tmp_path / "copied"))


def detected(
    detector: LargeDetector | PronounDetector, marks: Sequence[MarkedPronoun] = MARKS, *, written: bool = True
) -> list[float]:
    words = [line.split() for line in SOURCE_WORDS], [line.split() for line in TARGET_WORDS]
    lines = (SOURCE, TARGET) if written else None
    return [one.log_odds for one in detector.detect(*words, [Alignment()] * 4, marks, written=lines)]


GERMAN = LanguagePair("en", "de")


class TestJoining:
    def test_the_folder_has_all_parts_and_both_licences(self, parts: Parts) -> None:
        assert {path.name for path in parts.folder.iterdir()} == {
            "base.gguf", "tokenizer.json", "adapter.safetensors", "detector.json",
        }  # fmt: skip
        assert (parts.folder / "base.gguf").read_bytes() == parts.base.read_bytes()
        assert (parts.folder / "adapter.safetensors").read_bytes() == parts.adapter.read_bytes()
        content = json.loads((parts.folder / "detector.json").read_text())
        assert content["base"]["licence"] == "a licence"
        assert content["adapter"]["licence"] == "CC0-1.0"
        assert content["adapter"]["trained_on"] == [{"name": "nothing", "licence": "none"}]
        for name, found in content["files"].items():
            assert hashlib.sha256((parts.folder / name).read_bytes()).hexdigest() == found
        assert not list(parts.folder.parent.glob(".joined*"))

    def test_the_command_says_what_it_wrote(
        self, parts: Parts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        files = ["--base", str(parts.base), "--adapter", str(parts.adapter)]
        command = ["predict", "detector", *files, "--output", str(tmp_path / "new")]
        assert main(command) == 0
        shown = capsys.readouterr().out
        assert "tiny Gemma with an adapter of rank 4, for en-de, en-es" in shown
        assert "a licence" in shown
        assert "CC0-1.0" in shown
        # A second time it is replaced, and the same.
        assert main([*command, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["adapter"]["scale"]["de"] == list(SCALE)
        for path in parts.folder.iterdir():
            assert (tmp_path / "new" / path.name).read_bytes() == path.read_bytes()

    def test_a_damaged_base_is_refused_by_its_hash(self, parts: Parts, tmp_path: Path) -> None:
        damaged = tmp_path / "damaged.gguf"
        content = bytearray(parts.base.read_bytes())
        content[-1] ^= 1
        damaged.write_bytes(content)
        with pytest.raises(UserError, match=hashlib.sha256(damaged.read_bytes()).hexdigest()) as caught:
            join_detector(tmp_path / "new", base=damaged, adapter=parts.adapter)
        assert str(caught.value.where) == str(damaged)
        assert "gemma-3-270m (SHA-256 " in caught.value.fix
        assert [path.name for path in tmp_path.iterdir()] == ["damaged.gguf"]

    def test_another_known_base_is_refused(
        self, parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = tiny_gemma(tmp_path / "other.gguf", seed=2)
        found = hashlib.sha256(other.read_bytes()).hexdigest()
        monkeypatch.setitem(BASES, "other", GgufModel("another", found, ""))
        with pytest.raises(UserError, match=r"the adapter changes tiny .*, but this is other"):
            join_detector(tmp_path / "new", base=other, adapter=parts.adapter)
        assert not (tmp_path / "new").exists()

    def test_what_is_no_adapter_is_refused(self, parts: Parts, tmp_path: Path) -> None:
        write_arrays(tmp_path / "other.safetensors", {"names": np.zeros(3, dtype=np.float32)})
        for wrong in (tmp_path / "other.safetensors", parts.base, tmp_path / "missing"):
            with pytest.raises(UserError) as caught:
                join_detector(tmp_path / "new", base=parts.base, adapter=wrong)
            assert str(caught.value.where) == str(wrong)
            assert caught.value.fix
        assert not (tmp_path / "new").exists()

    def test_a_folder_with_something_else_is_left_alone(self, parts: Parts, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.tex").write_text("all of it")
        with pytest.raises(OptionError, match="does not contain a detector"):
            join_detector(tmp_path / "mine", base=parts.base, adapter=parts.adapter)
        assert (tmp_path / "mine" / "thesis.tex").read_text() == "all of it"

    def test_without_the_extra_the_error_says_what_to_install(
        self, parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(folder, "find_spec", lambda name: None if name == "tokenizers" else name)
        calls: list[Callable[[], object]] = [
            lambda: join_detector(tmp_path / "new", base=parts.base, adapter=parts.adapter),
            lambda: LargeDetector(parts.folder, GERMAN),
        ]
        for call in calls:
            with pytest.raises(OptionError, match="needs tokenizers, which is not installed") as caught:
                call()
            assert "anaphor[neural]" in caught.value.fix


class TestAdapters:
    def test_what_was_written_comes_back(self, parts: Parts) -> None:
        assert read_card(parts.adapter) == card(parts.base)
        state = torch.load(parts.adapter.with_name("adapter.pt"), weights_only=True)
        found = read_adapter(parts.adapter, Gguf(parts.base).config).arrays
        assert set(found) == {name.removeprefix("decoder.") for name in state}
        for name, array in found.items():
            given = state.get(f"decoder.{name}", state.get(name)).float().numpy()
            given = given * 2 if name.endswith(".b") else given
            # A row is rounded to 255 steps.
            np.testing.assert_allclose(array, given, atol=np.abs(given).max() / 250)

    @pytest.mark.parametrize(
        ("name", "array"),
        [
            ("blocks.0.q.a", None),
            ("blocks.9.q.a", np.ones((RANK, 32), dtype=np.int8)),
            ("blocks.0.q.a", np.ones((RANK + 1, 32), dtype=np.int8)),
            ("blocks.0.q.a", np.ones((RANK, 32), dtype=np.float32)),
            ("first.bias", np.full(256, np.nan, dtype=np.float32)),
        ],
    )
    def test_arrays_that_do_not_fit_are_named(
        self, parts: Parts, tmp_path: Path, name: str, array: Array | None
    ) -> None:
        file = read_arrays(parts.adapter)
        arrays = {**file.arrays, name: array} if array is not None else dict(file.arrays)
        if array is None:
            del arrays[name]
        write_arrays(tmp_path / "wrong", arrays, metadata=file.metadata)
        with pytest.raises(UserError, match="damaged") as caught:
            read_adapter(tmp_path / "wrong", Gguf(parts.base).config)
        assert str(caught.value.where) == str(tmp_path / "wrong")

    @pytest.mark.parametrize(
        "change",
        [
            {"rank": 0},
            {"rank": "4"},
            {"languages": ["en"]},
            {"languages": []},
            {"languages": ["de", "de"]},
            {"scale": {"de": [1.0, 0.0]}},
            {"scale": {"de": [1.0], "es": [1.0, 0.0]}},
            {"scale": {"de": [-1.0, 0.0], "es": [1.0, 0.0]}},
            {"scale": {"de": [1.0, 0.0], "es": [1.0, 0.0], "fr": [1.0, 0.0]}},
            {"trained_on": [{"name": "nothing"}]},
            {"frame": [[1]]},
            {"frame": [[-1]] * 8},
            {"more": 1},
            {"base": None},
        ],
    )
    def test_a_card_that_makes_no_sense_is_refused(
        self, parts: Parts, tmp_path: Path, change: dict[str, Any]
    ) -> None:
        file = read_arrays(parts.adapter)
        content = {**json.loads(file.metadata["card"]), **change}
        metadata = {**file.metadata, "card": json.dumps(content)}
        write_arrays(tmp_path / "wrong", dict(file.arrays), metadata=metadata)
        with pytest.raises(UserError) as caught:
            read_card(tmp_path / "wrong")
        assert str(caught.value.where) == str(tmp_path / "wrong")

    def test_scales_map_what_means_the_same(self) -> None:
        rng = np.random.default_rng(1)
        small = rng.normal(-1, 2, 40_000)
        wrong = (rng.random(len(small)) < 1 / (1 + np.exp(-small))).astype(float)
        factor, offset = scale_of((small + 0.5) / 3, small, wrong)
        assert factor == pytest.approx(3, abs=0.02)
        assert offset == pytest.approx(-0.5, abs=0.02)


class TestReading:
    """The same texts and numbers as in training."""

    @pytest.fixture(scope="class")
    @classmethod
    def packed(cls, parts: Parts, tmp_path_factory: pytest.TempPathFactory) -> teacher.Pronouns:
        """The documents above as the tools pack them."""
        place = tmp_path_factory.mktemp("packed")

        def row(mark: MarkedPronoun) -> dict[str, Any]:
            spans = [
                [word_spans(line, words.split())[place] for place in places]
                for line, words, places in (
                    (SOURCE[mark.segment], SOURCE_WORDS[mark.segment], [mark.source]),
                    (TARGET[mark.segment], TARGET_WORDS[mark.segment], mark.targets),
                )
            ]
            rest = {"y": 0, "kind": "pronoun"}
            return {"l": mark.segment, "s": spans[0][0], "t": spans[1], "sp": mark.source, **rest}

        rows = [row(mark) for mark in MARKS]
        record = {"name": "text", "language": "de", "source": SOURCE, "target": TARGET, "pronouns": rows}
        with gzip.open(place / "text.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        tokenizer = parts.folder / "tokenizer.json"
        pack_teacher([place / "text.jsonl.gz"], tokenizer=tokenizer, output=place / "arrays")
        return teacher.Pronouns(place / "arrays", parts.cut)

    def test_texts_are_those_of_the_teacher(self, parts: Parts, packed: teacher.Pronouns) -> None:
        found = LargeDetector(parts.folder, GERMAN)
        words = [line.split() for line in SOURCE_WORDS], [line.split() for line in TARGET_WORDS]
        texts = found.texts(*words, MARKS, written=(SOURCE, TARGET))
        assert texts == [packed.sequence(n).tolist() for n in range(len(MARKS))]
        assert len({tuple(text) for text in texts}) == len(MARKS)

    def test_log_odds_are_the_mean_of_the_teacher_and_the_small_detector(
        self, parts: Parts, packed: teacher.Pronouns
    ) -> None:
        model = teacher.Detector(parts.cut, RANK)
        # What the file has, after rounding.
        stored = read_adapter(parts.adapter, Gguf(parts.base).config).arrays
        own = {
            name: torch.tensor(stored[name.removeprefix("decoder.")]) / (2 if name.endswith(".b") else 1)
            for name in model.trained()
        }
        teacher.fill(model.trained(), own)
        numbers = list(range(len(MARKS)))
        expected = teacher.log_odds(model, [packed.sequence(n).tolist() for n in numbers], numbers)
        assert np.ptp(expected) > 0.1
        factor, offset = SCALE
        small = np.array(detected(PronounDetector(GERMAN)))
        found = detected(LargeDetector(parts.folder, GERMAN))
        assert found == pytest.approx(((small + factor * expected + offset) / 2).tolist(), abs=2e-4)

    def test_it_is_deterministic_and_expects_the_forms_of_the_small_one(self, parts: Parts) -> None:
        first = detected(LargeDetector(parts.folder, GERMAN))
        large._loaded.cache_clear()
        detector = LargeDetector(parts.folder, GERMAN)
        assert detected(detector) == first
        source, target = (
            [["A", "lamp", "."], ["It", "is", "on", "."]],
            [["Lampe", "."], ["Es", "ist", "an", "."]],
        )
        lamp = source, target, [Alignment(), Alignment((0, 1), (0, 1))], [MarkedPronoun(1, 0, (0,))]
        (one,), (small,) = detector.detect(*lamp), PronounDetector(GERMAN).detect(*lamp)
        assert one.expected == small.expected
        assert one.expected
        assert detector.detect([], [], [], []) == []

    def test_neither_padding_nor_order_changes_anything(
        self, parts: Parts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        detector = LargeDetector(parts.folder, GERMAN)
        together = detected(detector)
        assert detected(detector, MARKS[::-1])[::-1] == pytest.approx(together, abs=1e-4)
        assert [detected(detector, [mark])[0] for mark in MARKS] == pytest.approx(together, abs=1e-4)
        monkeypatch.setattr(large, "_BATCH", {"cpu": 1})
        assert detected(detector) == pytest.approx(together, abs=1e-4)

    def test_the_frame_is_that_of_the_card(self, parts: Parts, tmp_path: Path) -> None:
        """Packing may have made a rare mark unknown, and then it is unknown here, too."""
        file = read_arrays(parts.adapter)
        content = json.loads(file.metadata["card"])
        content["frame"][5] = [3]
        metadata = {**file.metadata, "card": json.dumps(content)}
        write_arrays(tmp_path / "adapter", dict(file.arrays), metadata=metadata)
        join_detector(tmp_path / "new", base=parts.base, adapter=tmp_path / "adapter")
        (text,) = LargeDetector(tmp_path / "new", GERMAN).texts(
            [["it"]], [["es"]], [MarkedPronoun(0, 0, (0,))]
        )
        assert text.count(3) == 2
        content["frame"][5] = [10_000]
        write_arrays(
            tmp_path / "adapter", dict(file.arrays), metadata={**metadata, "card": json.dumps(content)}
        )
        with pytest.raises(UserError, match="a piece that the base model does not know"):
            join_detector(tmp_path / "new", base=parts.base, adapter=tmp_path / "adapter")

    def test_the_target_language_and_the_mark_are_read(self, parts: Parts) -> None:
        german, spanish = (
            detected(LargeDetector(parts.folder, LanguagePair("en", language))) for language in ("de", "es")
        )
        assert all(abs(one - two) > 1e-3 for one, two in zip(german, spanish, strict=True))
        unmarked = detected(LargeDetector(parts.folder, GERMAN), [MarkedPronoun(1, 7)])
        assert abs(unmarked[0] - german[1]) > 1e-3

    def test_progress_counts_the_pronouns_of_all_texts(
        self, parts: Parts, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(large, "_BATCH", {"cpu": 1})
        said: list[str] = []
        detector = LargeDetector(parts.folder, GERMAN, progress=said.append)
        detected(detector)
        detected(detector, MARKS[:1])
        assert said == [f"large detector: {n} pronouns read" for n in range(1, len(MARKS) + 2)]

    def test_lines_that_were_not_given_are_words_with_spaces(self, parts: Parts) -> None:
        detector = LargeDetector(parts.folder, GERMAN)
        words = [line.split() for line in SOURCE_WORDS], [line.split() for line in TARGET_WORDS]
        joined = detector.texts(*words, MARKS, written=(SOURCE_WORDS, TARGET_WORDS))
        assert detector.texts(*words, MARKS) == joined
        assert joined != detector.texts(*words, MARKS, written=(SOURCE, TARGET))

    def test_long_lines_are_cut_and_no_text_is_too_long(self, parts: Parts) -> None:
        detector = LargeDetector(parts.folder, GERMAN)
        source = [["Old", "."], *[LONG.split()] * 6, [*LONG.split(), "it", *LONG.split()]]
        target = [["Alt", "."], *[["alt"]] * 6, ["es"]]
        (text,) = detector.texts(source, target, [MarkedPronoun(7, 300, (0,))])
        assert len(text) <= LONGEST
        (found,) = detector.detect(source, target, [Alignment()] * 8, [MarkedPronoun(7, 300, (0,))])
        assert np.isfinite(found.log_odds)

    def test_lines_may_be_empty(self, parts: Parts) -> None:
        detector = LargeDetector(parts.folder, GERMAN)
        found = detector.detect([[], ["it"]], [[], []], [Alignment()] * 2, [MarkedPronoun(1, 0)])
        assert np.isfinite(found[0].log_odds)


class TestTexts:
    FRAME = Frame(begin=[1], target=[2], end=[3], left=[4], right=[5], newline=[6])

    def test_marks_stand_around_the_pieces_and_context_before_the_line(self) -> None:
        source, target = MarkedLine([10, 11, 12], (1, 2)), MarkedLine([20, 21], (-1, -1))
        before = [([30], [40, 41]), ([31], [42])]
        found = self.FRAME.text(source, target, before)
        assert found == [1, 31, 6, 30, 6, 10, 4, 11, 5, 12, 2, 42, 6, 40, 41, 6, 20, 21, 3]

    def test_context_that_does_not_fit_is_left_out_with_all_before_it(self) -> None:
        own = MarkedLine([10], (0, 1))
        before = [([30], [40]), ([31] * LONGEST, [41]), ([32], [42])]
        found = self.FRAME.text(own, own, before)
        assert {30, 40} < set(found)
        assert not {31, 32, 41, 42} & set(found)

    @pytest.mark.parametrize("at", [0, 5, 200, 398])
    def test_a_long_sentence_is_cut_around_the_mark(self, at: int) -> None:
        found = self.FRAME.marked(MarkedLine(list(range(1000, 1400)), (at, at + 2)))
        assert len(found) == SENTENCE
        place = found.index(4)
        assert found[place : place + 4] == [4, 1000 + at, 1001 + at, 5]

    def test_words_are_found_in_their_line(self) -> None:
        assert word_spans("L'eau,  l'air", ["L'", "eau", ",", "l'", "air"]) == [
            (0, 2), (2, 5), (5, 6), (8, 10), (10, 13),
        ]  # fmt: skip

    def test_the_reach_is_that_of_training(self, parts: Parts) -> None:
        detector = LargeDetector(parts.folder, GERMAN)
        lines = [[letter] for letter in "abcdefgh"]
        near, far = (
            detector.texts(changed, changed, [MarkedPronoun(7, 0, (0,))])
            for changed in ([*lines[: 7 - BEFORE], ["z"], *lines[8 - BEFORE :]], [["z"], *lines[1:]])
        )
        (same,) = detector.texts(lines, lines, [MarkedPronoun(7, 0, (0,))])
        assert far == [same]
        assert near != [same]


class TestFolders:
    @pytest.mark.parametrize("name", ["base.gguf", "tokenizer.json", "adapter.safetensors"])
    def test_a_part_that_changed_is_refused(self, copied: Path, name: str) -> None:
        content = (copied / name).read_bytes()
        (copied / name).write_bytes(content[:-2] + b"??")
        with pytest.raises(UserError, match="differs from the one saved") as caught:
            LargeDetector(copied, GERMAN)
        assert str(caught.value.where) == str(copied / name)
        (copied / name).unlink()
        with pytest.raises(UserError) as caught:
            LargeDetector(copied, GERMAN)
        assert str(caught.value.where) == str(copied / name)

    def test_a_card_cannot_vouch_for_another_base(self, copied: Path) -> None:
        other = tiny_gemma(copied / "base.gguf", seed=3)
        content = json.loads((copied / "detector.json").read_text())
        content["files"]["base.gguf"] = hashlib.sha256(other.read_bytes()).hexdigest()
        (copied / "detector.json").write_text(json.dumps(content))
        with pytest.raises(UserError, match="unknown base model"):
            LargeDetector(copied, GERMAN)

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "anaphor-detector/9"}', "\x00"])
    def test_a_damaged_card_is_refused(self, copied: Path, text: str) -> None:
        (copied / "detector.json").write_text(text)
        with pytest.raises(UserError) as caught:
            LargeDetector(copied, GERMAN)
        assert str(caught.value.where) == str(copied / "detector.json")

    @pytest.mark.parametrize("name", [folder.CARD, folder.TOKENIZER, "notes.txt"])
    @pytest.mark.parametrize("pipe", [False, True])
    def test_what_leads_out_of_the_folder_is_not_read(self, copied: Path, name: str, pipe: bool) -> None:
        outside = copied.parent / f"{copied.name}-outside"
        shutil.copy(copied / folder.CARD, outside)
        path = copied / name
        path.unlink(missing_ok=True)
        if pipe:
            os.mkfifo(path)
            feeder = threading.Timer(5, path.write_bytes, [b"x"])  # whoever reads it all the same goes on
            feeder.daemon = True
            feeder.start()
        else:
            path.symlink_to(outside)
        for read in (lambda: LargeDetector(copied, GERMAN), lambda: folder.large_detector_digest(copied)):
            with pytest.raises(UserError, match=r"leaves its folder|a pipe|no detector here"):
                read()
        if pipe:
            feeder.cancel()

    def test_a_folder_without_a_detector_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="there is no detector here") as caught:
            LargeDetector(tmp_path, GERMAN)
        assert "anaphor predict detector" in caught.value.fix

    @pytest.mark.parametrize("pair", ["en-fr", "de-en", "en-it"])
    def test_an_unknown_pair_is_an_error_that_names_the_known_ones(self, parts: Parts, pair: str) -> None:
        with pytest.raises(OptionError, match=f"does not support {pair}") as caught:
            LargeDetector(parts.folder, LanguagePair.parse(pair))
        assert str(caught.value.where) == "--accept-detector"
        assert "en-de, en-es" in caught.value.fix

    def test_a_folder_that_was_replaced_is_read_again(
        self, parts: Parts, copied: Path, tmp_path: Path
    ) -> None:
        before = detected(LargeDetector(copied, GERMAN))
        arrays = dict(read_adapter(parts.adapter, Gguf(parts.base).config).arrays)
        arrays["last.bias"] = arrays["last.bias"] + 2
        write_adapter(tmp_path / "other.safetensors", card(parts.base), arrays)
        join_detector(copied, base=parts.base, adapter=tmp_path / "other.safetensors")
        after = detected(LargeDetector(copied, GERMAN))
        factor, _ = SCALE
        # Half of the change: the small detector says the same as before.
        assert after == pytest.approx([one + factor for one in before], abs=1e-3)


class TestVerdicts:
    def settings(self, value: str, pair: str = "en-de") -> Settings:
        options = {"accept_detector": value}
        return Settings(pair=pair, metrics=("accept",), samples=0, options=options)

    def experiment(self, settings: Settings) -> Experiment:
        inputs = Inputs(Text.of(SOURCE, path="source"), (), {"system": Text.of(TARGET, path="target")})
        return Experiment.of(inputs, settings)

    def signed(self, settings: Settings) -> dict[str, str]:
        experiment = self.experiment(settings)
        (metric,) = experiment.metrics
        return experiment.signer.sign(metric, "system").as_dict()

    def test_a_folder_is_handed_to_the_judge(self, parts: Parts) -> None:
        settings = self.settings(str(parts.folder))
        assert isinstance(self.experiment(settings).networks.detector(), LargeDetector)

    def test_a_pair_that_it_does_not_know_is_an_error(self, parts: Parts) -> None:
        settings = self.settings(str(parts.folder), "de-en")
        with pytest.raises(OptionError, match="does not support de-en"):
            self.experiment(settings).networks.detector()

    def test_other_weights_of_the_small_detector_are_another_signature(
        self, parts: Parts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It has a say as well."""
        settings = self.settings(str(parts.folder))
        before = self.signed(settings)["detector"]
        (tmp_path / "changes.safetensors").write_bytes(b"others")
        monkeypatch.setattr("anaphor.predict.detector.detector._MODEL", tmp_path)
        assert self.signed(settings)["detector"] != before

    def test_the_signature_names_the_files_and_not_the_folder(self, parts: Parts, copied: Path) -> None:
        first, second = (self.signed(self.settings(str(one))) for one in (parts.folder, copied))
        assert first == second
        assert first["accept-detector"] == "folder"
        built_in = self.signed(self.settings("use"))
        assert first["detector"] != built_in["detector"]
        content = json.loads((copied / "detector.json").read_text())
        content["files"]["adapter.safetensors"] = "0" * 64
        (copied / "detector.json").write_text(json.dumps(content))
        assert self.signed(self.settings(str(copied)))["detector"] != first["detector"]

    @pytest.mark.parametrize("value", ["us", "no/such/folder", "x" * 5000, "\0"])
    def test_neither_a_word_nor_a_folder_is_an_error(self, value: str) -> None:
        with pytest.raises(OptionError, match="unknown value, and no folder") as caught:
            self.experiment(self.settings(value))
        assert str(caught.value.where) == "--accept-detector"
        assert "use, ignore, or a folder" in caught.value.fix

    def test_the_command_line_scores_with_it(
        self, parts: Parts, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "src.en").write_text("\n".join(SOURCE) + "\n")
        (tmp_path / "mt.de").write_text("\n".join(TARGET) + "\n")
        files = ["--source", str(tmp_path / "src.en"), "--candidate", str(tmp_path / "mt.de")]
        command = ["score", "--pair", "en-de", "--metrics", "accept", "--samples", "0", *files, "--json"]

        def score(value: str) -> tuple[float, dict[str, str]]:
            assert main([*command, "--accept-detector", value]) == 0
            (found,) = json.loads(capsys.readouterr().out)["systems"][0]["metrics"]
            return found["score"], found["signature_fields"]

        value, fields = score(str(parts.folder))
        assert score(str(parts.folder)) == (value, fields)
        assert fields["accept-detector"] == "folder"
        assert str(parts.folder) not in json.dumps(fields)
        assert value not in (score("use")[0], score("ignore")[0])
