"""Encoders of others: they learn, are saved and loaded, and never bring code or a download with them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from anaphor.core import InputError, OptionError, TaskSegment, UserError
from anaphor.predict.contract import Model
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.hub.encoder import PretrainedEncoder, SpecialTokens, WindowReader, load_encoder
from anaphor.predict.hub.family import with_encoder
from anaphor.predict.hub.options import HubOptions
from tests.support.encoder import marks, save_tokenizer
from tests.support.slots import segment

# Only the process that runs these tests loads the libraries, which takes seconds.
pytestmark = pytest.mark.skipif(
    not (find_spec("torch") and find_spec("transformers")),
    reason="encoders need torch and transformers: pip install 'anaphor[hub]'",
)


def table(model: Model, segments: list[TaskSegment]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array([one.probabilities for slots in model.predict(segments) for one in slots])


def test_twenty_slots_are_learned_by_heart(model: Model, segments: list[TaskSegment]) -> None:
    found = [one.label for slots in model.predict(segments) for one in slots]
    assert found == [slot.label for one in segments for slot in one.slots]


def test_only_classes_that_occurred_are_possible(model: Model, segments: list[TaskSegment]) -> None:
    shares = table(model, segments)
    assert shares.sum(axis=1) == pytest.approx(np.ones(len(shares)))
    possible = {model.card.classes[number] for number in np.flatnonzero(shares.max(axis=0))}
    assert possible == {"il", "elle"}


def test_a_saved_model_gives_the_same_probabilities(
    model: Model, segments: list[TaskSegment], tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert again.card == model.card
    assert table(again, segments) == pytest.approx(table(model, segments), abs=1e-6)
    files = {path.suffix for path in (tmp_path / "model").iterdir()}
    assert files <= {".json", ".safetensors", ".txt", ".model"}


def test_padding_and_the_order_of_batches_change_nothing(model: Model, segments: list[TaskSegment]) -> None:
    longer = segment("it is small " + "here " * 30, "REPLACE_0 est petit " + "petit " * 30)
    together = table(model, [*segments, longer])
    alone = np.concatenate([table(model, segments[n : n + 2]) for n in range(0, len(segments), 2)])
    assert together[:-1] == pytest.approx(alone, abs=1e-5)


def test_the_same_seed_gives_the_same_model(train: Callable[..., Model], segments: list[TaskSegment]) -> None:
    first, second, other = (train(seed=seed, epochs=2) for seed in (3, 3, 4))
    assert np.array_equal(table(first, segments), table(second, segments))
    assert not np.array_equal(table(first, segments), table(other, segments))


def test_the_epoch_that_is_best_on_development_data_is_kept(
    train: Callable[..., Model], segments: list[TaskSegment]
) -> None:
    # Development data that says the opposite: the less is learned the better, so the first epoch is kept.
    swap = {"il": "elle", "elle": "il"}
    dev = [
        replace(one, slots=tuple(replace(slot, label=swap[str(slot.label)]) for slot in one.slots))
        for one in segments
    ]
    kept, whole = train(epochs=15, dev=dev), train(epochs=15)
    gold = [slot.label for one in segments for slot in one.slots]
    right = [
        sum(one.label == label for slots, label in zip(answers, gold, strict=True) for one in slots)
        for answers in ([s for s in model.predict(segments) if s] for model in (kept, whole))
    ]
    assert right[0] < right[1] == 20


def test_context_is_read_within_the_document_alone(model: Model, segments: list[TaskSegment]) -> None:
    asked = segments[1]
    near = table(model, segments[:2])
    far = table(model, [replace(segments[0], document="another"), asked])
    none = table(model, [replace(asked, document=None)])
    assert not np.allclose(near, far, atol=1e-3)
    assert far == pytest.approx(none)


@pytest.mark.parametrize(
    "text",
    [
        [],
        [segment("hello", "salut")],
        [segment("it", "REPLACE_0", document=None)],
        [segment("жж it", "ЖЖ REPLACE_1")],
        [segment("house " * 2000 + "it", "maison " * 2000 + "REPLACE_2000")],
        [segment("it <mask> </s>", "<mask> REPLACE_0 <mask> </s>")],
        [segment("it it", "REPLACE_0 REPLACE_1")],
    ],
    ids=["nothing", "no slot", "no context", "unknown", "2,000 words", "words that are marks", "two slots"],
)
def test_odd_text_is_handled(model: Model, text: list[TaskSegment]) -> None:
    assert [len(one) for one in model.predict(text)] == [len(one.slots) for one in text]


def test_lemmas_are_read_without_their_tags(train: Callable[..., Model]) -> None:
    from anaphor.predict.hub.encoder import WindowReader
    from anaphor.predict.hub.model import HubModel

    model = train(epochs=1)
    assert isinstance(model, HubModel)
    lemmas = WindowReader(model.encoder, model.options, False)
    forms = WindowReader(model.encoder, model.options, True)
    tagged = segment("it is small", "REPLACE_0 est|VERB petit|ADJ")
    assert list(lemmas.windows([tagged])) == list(
        forms.windows([segment("it is small", "REPLACE_0 est petit")])
    )


def built(**options: object) -> None:
    build_predictor({"name": "tiny", "family": "hub", "options": options})


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({}, "no encoder"),
        ({"encoder": "x", "epochs": 0}, "epochs must be between 1 and 1000, got 0"),
        ({"encoder": "x", "rate": 2.0}, "rate must be between 1e-08 and 1, got 2.0"),
        ({"encoder": "x", "device": "tpu"}, "unknown value of device: tpu"),
        ({"encoder": "x", "speed": 1}, "unknown option: speed"),
    ],
)
def test_an_invalid_recipe_is_an_error_before_data_is_read(options: dict[str, object], what: str) -> None:
    with pytest.raises(UserError, match=what):
        built(**options)


def test_missing_transformers_is_an_error_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "anaphor.predict.options.find_spec", lambda name: None if name == "transformers" else 1
    )
    with pytest.raises(OptionError, match="needs transformers") as error:
        built(encoder="x")
    assert error.value.fix == "pip install anaphor[hub]"


def test_nothing_is_fetched_unless_the_user_allows_it(
    train: Callable[..., Model], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import socket

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr(socket.socket, "connect", refused)
    with pytest.raises(OptionError, match="nobody/nothing is not here") as error:
        train(encoder="nobody/nothing")
    assert "--allow-download" in error.value.fix


def without_tensors(folder: Path) -> None:
    """As older encoders come: weights that are pickled, and no safetensors."""
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def with_code(folder: Path) -> None:
    path = folder / "config.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["auto_map"] = {"AutoModel": "evil.Model"}
    path.write_text(json.dumps(content), encoding="utf-8")
    (folder / "evil.py").write_text("raise SystemExit('code was run')", encoding="utf-8")


def without_end(folder: Path) -> None:
    """As many layers as would be built for days."""
    path = folder / "config.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"num_hidden_layers": 10**9}), encoding="utf-8")


def with_a_far_token(folder: Path) -> None:
    """A vocabulary of four thousand million words, as far as the tokenizer knows."""
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["model"]["vocab"]["it"] = 2**32 - 2
    path.write_text(json.dumps(content), encoding="utf-8")


def cut_short(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:1000])


def without_mask(folder: Path) -> None:
    for path in folder.glob("*token*"):
        path.unlink()
    given = marks()
    del given["mask_token"]
    save_tokenizer(folder, ["it"], **given)


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (without_tensors, "the encoder cannot be read"),
        (with_code, "running its own code"),
        (cut_short, "the encoder cannot be read"),
        (without_end, "num_hidden_layers is 1000000000, which is more than the weights have"),
        (with_a_far_token, "a token has the number 4294967294, which is more than the weights have"),
        (without_mask, "no mask"),
        (lambda folder: (folder / "config.json").write_text("{"), "configuration of the encoder"),
    ],
)
def test_an_encoder_that_cannot_be_trusted_or_used_is_refused(
    harm: Callable[[Path], None], what: str, encoder: Path, train: Callable[..., Model], tmp_path: Path
) -> None:
    folder = tmp_path / "encoder"
    shutil.copytree(encoder, folder)
    harm(folder)
    with pytest.raises((InputError, OptionError), match=what):
        train(encoder=str(folder))
    assert "evil" not in sys.modules


@pytest.mark.parametrize("name", ["config.json", "notes.txt", "additional_chat_templates"])
def test_links_and_pipes_of_strangers_are_not_followed(encoder: Path, name: str, tmp_path: Path) -> None:
    folder = shutil.copytree(encoder, tmp_path / "snapshots" / "encoder")
    outside = shutil.copytree(encoder, tmp_path / "outside")
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(outside / "config.json" if "." in name else outside)
    with pytest.raises(InputError, match="a link that leaves its folder"):
        load_encoder(str(folder), download=False, recipe="hub")
    (folder / name).unlink()
    os.mkfifo(folder / name)
    feeder = Timer(5, (folder / name).write_bytes, [b"x"])  # whoever reads it all the same goes on
    feeder.daemon = True
    feeder.start()
    with pytest.raises(InputError, match="a pipe"):
        load_encoder(str(folder), download=False, recipe="hub")
    feeder.cancel()


def test_a_snapshot_in_the_cache_of_a_hub_consists_of_links(encoder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "models--tiny"
    snapshot = cache / "snapshots" / "main"
    snapshot.mkdir(parents=True)
    shutil.copytree(encoder, cache / "blobs")
    outside = shutil.copy(encoder / "config.json", tmp_path)
    for path in encoder.iterdir():
        (snapshot / path.name).symlink_to(Path("..", "..", "blobs", path.name))
    (tmp_path / "mine").symlink_to(snapshot)
    for name in (snapshot, tmp_path / "mine"):
        assert load_encoder(str(name), download=False, recipe="hub").longest
    (snapshot / "notes.txt").symlink_to(outside)
    with pytest.raises(InputError, match="a link that leaves its folder"):
        load_encoder(str(snapshot), download=False, recipe="hub")


def test_files_of_strangers_are_not_quoted_as_they_are(
    encoder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """transformers notes the type of a model that it does not know, and what a terminal would obey in it."""
    folder = shutil.copytree(encoder, tmp_path / "encoder")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["model_type"] = "xlm-roberta\x1b[31m"
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with suppress(UserError):
        load_encoder(str(folder), download=False, recipe="hub")
    assert [record.getMessage() for record in caplog.records if "\x1b" in record.getMessage()] == []


@pytest.mark.parametrize("name", ["head.safetensors", "model.safetensors", "config.json"])
def test_a_changed_file_of_a_model_is_an_error(model: Model, tmp_path: Path, name: str) -> None:
    model.save(tmp_path / "model")
    path = tmp_path / "model" / name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(InputError, match="damaged or was changed"):
        load_model(tmp_path / "model")


def test_the_command_line_chooses_the_encoder() -> None:
    settings = {"name": "x", "family": "hub", "options": {"encoder": "a", "epochs": 2}}
    changed = with_encoder(settings, encoder="b", download=True, device="cpu")["options"]
    assert changed == {"encoder": "b", "epochs": 2, "download": True, "device": "cpu"}
    with pytest.raises(OptionError, match="family hub"):
        with_encoder({"family": "crf"}, encoder="b", download=False)


@dataclass
class SpelledTokenizer:
    """One piece per letter, its number that of the letter; `#` is a special token."""

    def __call__(self, text: str, *, add_special_tokens: bool) -> dict[str, list[int]]:
        assert not add_special_tokens
        return {"input_ids": [ord(letter) for letter in text.strip()]}


def spelled(longest: int = 256, *, before: int = 3, after: int = 1) -> WindowReader:
    special = SpecialTokens(
        first=ord("<"),
        between=ord("|"),
        mask=ord("?"),
        unknown=ord("!"),
        padding=0,
        all=frozenset([ord("#")]),
    )
    encoder = PretrainedEncoder(None, SpelledTokenizer(), special, longest)
    return WindowReader(encoder, HubOptions(encoder="x", before=before, after=after), True)


def shown(reader: WindowReader, text: list[TaskSegment]) -> list[str]:
    windows = list(reader.windows(text))
    for window in windows:
        assert window.pieces[window.place] == ord("?")
    return ["".join(map(chr, window.pieces)) for window in windows]


def test_a_window_marks_the_pronoun_and_masks_its_slot() -> None:
    text = [segment("ab it it #", "c REPLACE_1 d REPLACE_2")]
    assert shown(spelled(), text) == ["<ab*it*it!|c?d_|", "<abit*it*!|c_d?|"]


def test_windows_reach_as_many_sentences_as_the_options_say() -> None:
    text = [segment(f"s{n}", f"t{n}") for n in range(6)]
    text[3] = segment("it", "REPLACE_0")
    assert shown(spelled(before=2, after=1), text) == ["<s1s2*it*s4|t1t2?t4|"]
    text[2] = segment("s2", "t2", document="other")
    assert shown(spelled(before=2, after=1), text) == ["<*it*s4|?t4|"]
    alone = [segment("s", "t", document=None), segment("it", "REPLACE_0", document=None)]
    assert shown(spelled(), alone) == ["<*it*|?|"]


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        # Sixteen places, three of them special: thirteen pieces are left.
        ("abcdefghij it", "REPLACE_1", "<cdefghij*it*|?|"),
        ("it abcdefghij", "REPLACE_0 klmnopqrst", "<*it*ab|?klmnop|"),
        ("it", "abcdefghijklm REPLACE_0 n", "<*it*|ghijklm?n|"),
        ("it", "abcdefghijklm REPLACE_0 nopqrstuvw", "<*it*|jklm?nopq|"),
    ],
)
def test_a_window_that_is_too_long_is_cut_around_pronoun_and_mask(
    source: str, target: str, expected: str
) -> None:
    (found,) = shown(spelled(longest=16), [segment(source, target)])
    assert found == expected


@pytest.mark.parametrize(
    ("step", "share"), [(0, 0.1), (9, 1.0), (10, 1.0), (55, 0.5), (99, 1 / 90), (100, 0.0)]
)
def test_the_learning_rate_rises_and_falls(step: int, share: float) -> None:
    from anaphor.predict.hub.model import rate_share

    assert rate_share(step, 100, 0.1) == pytest.approx(share)
