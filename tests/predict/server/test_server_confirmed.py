"""A model folder or recipe that somebody else wrote sends no texts and keys to a server of its own choice."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.cli.main import main
from anaphor.core import InputError, LanguagePair, OptionError, UserError
from anaphor.predict.prediction import predicted_labels
from anaphor.predict.server.consent import servers_file
from anaphor.predict.server.model import ServerModel, first_prompt
from anaphor.predict.shipped import find_model
from anaphor.recipes.connection import connect
from anaphor.task import task_classes
from tests.support.api_server import FILE, TEXT, ApiServer

CLASSES = task_classes(LanguagePair.parse("en-fr"))


@pytest.fixture
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a model folder as somebody else, on another machine."""

    def make(**options: Any) -> Path:
        folder = tmp_path / "downloaded"
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("XDG_CONFIG_HOME", str(tmp_path / "elsewhere"))
            connect(folder, classes=CLASSES, model="tiny", **options)
        return folder

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "here"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ANAPHOR_API_KEY", "sk-mine")
    monkeypatch.setenv("OTHER_SECRET", "sk-other")
    return make


def model_in(folder: Path) -> ServerModel:
    model = find_model(str(folder))
    assert isinstance(model, ServerModel)
    return model


def test_a_downloaded_folder_sends_nothing_until_the_user_names_its_server(
    server: ApiServer, stranger: Callable[..., Path], tmp_path: Path
) -> None:
    folder = stranger(server=server.url)
    assert "____" in first_prompt(model_in(folder), TEXT), "what it would send can be seen"
    with pytest.raises(OptionError, match=f"send texts to {server.url}, and the key in ANAPHOR_API_KEY"):
        predicted_labels(model_in(folder), TEXT)
    assert server.prompts == []
    assert not (tmp_path / "cache").exists()
    connect(tmp_path / "own", classes=CLASSES, server=f"{server.url}/", model="tiny")
    assert predicted_labels(model_in(folder), TEXT) == ((), ("elle", "elle"), ())
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-mine"}


@pytest.mark.parametrize(
    ("options", "flag"),
    [
        ({"key_variable": "OTHER_SECRET"}, "--key-variable OTHER_SECRET"),
        ({"cache": "it's; here"}, "--cache 'it'\"'\"'s; here'"),
    ],
)
def test_a_named_server_gets_no_other_key_and_no_other_folder(
    server: ApiServer, stranger: Callable[..., Path], tmp_path: Path, options: dict[str, str], flag: str
) -> None:
    connect(tmp_path / "own", classes=CLASSES, server=server.url, model="tiny")
    with pytest.raises(OptionError, match="you have not named this server") as caught:
        predicted_labels(model_in(stranger(server=server.url, **options)), TEXT)
    assert f"--server {server.url} " in caught.value.fix
    assert flag in caught.value.fix
    assert server.prompts == []


def test_every_command_refuses_it(
    server: ApiServer,
    stranger: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("test.tsv").write_text(FILE, encoding="utf-8")
    Path("src.en").write_text("I bought a lamp.\nIt is red.\n", encoding="utf-8")
    Path("mt.fr").write_text("J'ai acheté une lampe.\nIl est rouge.\n", encoding="utf-8")
    stranger(server=server.url)
    texts = "--pair en-fr --source src.en --candidate mt.fr"
    together = "predict ensemble downloaded anaphor-2-small --pair en-fr --year 2017 --equal --output both"
    assert main(together.split()) == 0
    for command in (
        "predict run downloaded test.tsv",
        "predict evaluate downloaded test.tsv",
        "predict explain downloaded test.tsv --segment 2",
        f"predict postedit --model downloaded {texts}",
        f"score {texts} --reference mt.fr --predictor downloaded",
        "predict run both test.tsv",
    ):
        capsys.readouterr()
        assert main(command.split()) == 1, command
        assert "you have not named this server on this machine" in capsys.readouterr().err
    assert server.prompts == []


def test_a_recipe_names_no_server_key_or_folder_for_the_user(
    server: ApiServer, stranger: Callable[..., Path], tmp_path: Path
) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(
        'name = "mine"\ntitle = "mine"\nfamily = "server"\nidea = "ask"\npaper = "none"\ntraining = "none"\n'
        f'pairs = ["en-fr"]\n\n[options]\nserver = "{server.url}"\nkey_variable = "OTHER_SECRET"\n'
    )
    for given in ({}, {"server": server.url}):
        with pytest.raises(OptionError, match="you have not named this server"):
            connect(tmp_path / "own", classes=CLASSES, recipe=str(recipe), model="tiny", **given)
        assert not (tmp_path / "own").exists()
    own = {"server": server.url, "key_variable": "OTHER_SECRET"}
    connect(tmp_path / "own", classes=CLASSES, recipe=str(recipe), model="tiny", **own)


@pytest.mark.parametrize("name", ["", "A B", "PATH=1", "a$(touch x)"])
def test_a_key_variable_has_the_name_of_a_variable(stranger: Callable[..., Path], name: str) -> None:
    with pytest.raises(OptionError, match="not a valid variable name"):
        stranger(server="http://localhost/v1", key_variable=name)


def test_a_damaged_list_is_an_error_and_naming_a_server_twice_changes_nothing(
    server: ApiServer, stranger: Callable[..., Path], tmp_path: Path
) -> None:
    for _ in range(2):
        connect(tmp_path / "own", classes=CLASSES, server=server.url, model="tiny")
    assert len(json.loads(servers_file().read_text())) == 1
    for content in ("{}", "[", "[" * 100_000):
        servers_file().write_text(content)
        with pytest.raises(InputError, match="the list of your servers cannot be read"):
            predicted_labels(model_in(tmp_path / "own"), TEXT)
    shutil.rmtree(servers_file().parent)
    servers_file().parent.parent.joinpath("anaphor").write_text("in the way")
    with pytest.raises(UserError, match="the list of your servers cannot be written"):
        connect(tmp_path / "own", classes=CLASSES, server=server.url, model="tiny")
    assert server.prompts == []
