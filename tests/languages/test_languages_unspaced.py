"""Words in scripts without spaces: tokens, forms, and what happens without the libraries."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import anaphor
from anaphor.core import InputError, OptionError, Settings
from anaphor.languages import FormMatcher, LanguagePack, Runs, Tokenizer, load_language
from anaphor.languages.unspaced import breaker_version
from anaphor.metrics.contract import MetricContext
from anaphor.metrics.sacre import Bleu
from anaphor.pronouns.find import find_by_form
from tests.support.cjk import needs_cjk


@needs_cjk
@pytest.mark.parametrize(
    ("code", "text", "tokens"),
    [
        ("zh", "他们昨天把它卖给了她。", "他们 昨天 把 它 卖 给 了 她 。"),
        # Traditional forms are put together from characters that the dictionary has.
        ("zh", "牠們看見她們了", "牠們 看 見 她們 了"),
        # Words with the characters of pronouns, and a verb before one.
        ("zh", "其他人没见他弹吉他", "其他人 没 见 他 弹 吉他"),
        # The possessive is one word, but not before another word that begins with 的.
        ("zh", "他的书他的确有", "他的 书 他 的确 有"),
        (
            "zh",
            "用iPhone给他发3.5元，见www.example.com。",
            "用 iPhone 给 他 发 3.5 元 ， 见 www.example.com 。",
        ),
        ("ja", "彼女たちは彼らにそれを渡した。", "彼女たち は 彼ら に それ を 渡し た 。"),
        ("ja", "それで、彼の車は止まった。", "それで 、 彼の 車 は 止まっ た 。"),
        ("ja", "それらは自分自身のものだ", "それら は 自分自身 の もの だ"),
        ("ja", "iPhoneで人々の前", "iPhone で 人々 の 前"),
        ("ja", "ＡＢＣとｶﾀｶﾅ", "ＡＢＣ と ｶﾀｶﾅ"),
    ],
)
def test_words_are_slices_of_the_text(code: str, text: str, tokens: str) -> None:
    tokenizer = Tokenizer(load_language(code))
    sentence = tokenizer(text)
    assert sentence.tokens == tuple(tokens.split())
    assert tokenizer.words(text) == sentence.tokens
    spans = map(sentence.span, range(len(sentence.tokens)))
    assert tuple(text[span.start : span.end] for span in spans) == sentence.tokens


@needs_cjk
@pytest.mark.parametrize("code", ["ja", "zh"])
def test_text_without_any_mark_is_broken_whole(code: str) -> None:
    """Sudachi takes 49,149 bytes at once: this is three times as much."""
    text = {"ja": "彼女は彼を見た", "zh": "她看见他们了"}[code] * 7_000
    words = Tokenizer(load_language(code)).words(text)
    assert "".join(words) == text
    assert words.count({"ja": "彼女", "zh": "他们"}[code]) >= 6_990  # a word may be cut at the bounds


@needs_cjk
def test_nothing_is_written_to_the_disk_or_to_standard_error(tmp_path: Path) -> None:
    script = (
        "from anaphor.languages import Tokenizer, load_language\n"
        "for code, text in (('zh', '他们'), ('ja', '彼ら')):\n"
        "    print(*Tokenizer(load_language(code)).words(text))\n"
    )
    environment = {"TMPDIR": str(tmp_path), "TEMP": str(tmp_path), "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert (done.stdout, done.stderr) == ("他们\n彼ら\n", "")
    assert not list(tmp_path.iterdir())


@needs_cjk
def test_signatures_have_the_versions() -> None:
    chinese, japanese = (Tokenizer(load_language(code)).name for code in ("zh", "ja"))
    assert chinese == f"anaphor-zh+jieba-{metadata.version('jieba')}"
    versions = metadata.version("sudachipy"), metadata.version("sudachidict-core")
    assert japanese == f"anaphor-ja+sudachipy-{versions[0]}+sudachidict-core-{versions[1]}"


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    breaker_version.cache_clear()
    try:
        with pytest.raises(OptionError, match=r"Chinese is written without spaces.*: jieba") as raised:
            MetricContext.of(Settings(pair="en-zh"))
        assert "pip install 'anaphor[cjk]'" in raised.value.fix
        assert "--tokenized" in raised.value.fix
        with pytest.raises(OptionError, match="sudachipy"):
            Tokenizer(load_language("ja")).words("彼は来た")
        # Text without Japanese in it, and tokens that are given, need no library.
        assert Tokenizer(load_language("ja")).words("OK, 3.5!") == ("OK", ",", "3.5", "!")
        assert MetricContext.of(Settings(pair="en-zh", tokenized=True)).target.name == "given"
        assert FormMatcher(load_language("ja"), ["彼"]).forms_in("彼") == ("彼",)
    finally:
        breaker_version.cache_clear()


@pytest.fixture
def chinese() -> LanguagePack:
    return load_language("zh")


@pytest.mark.parametrize(
    ("token", "forms"),
    [
        ("他", ["他"]),
        ("“他", ["他"]),
        ("它，", ["它"]),
        ("其他", []),
        ("吉他", []),
        ("他的", []),
        ("他走", []),
        ("he", []),
    ],
)
def test_a_token_is_a_form_or_has_none(chinese: LanguagePack, token: str, forms: list[str]) -> None:
    assert FormMatcher(chinese, ["他", "它"]).forms_in(token) == tuple(forms)


def test_given_tokens_are_found_without_a_library(chinese: LanguagePack) -> None:
    lines = ["他们 说 它 好", "其他 人", "", "他 走 了"]
    matcher = FormMatcher(chinese, ["他", "他们", "它"])
    found = find_by_form(lines, Runs.of(lines), matcher, words=None)
    assert [(p.segment, p.position, p.form) for p in found] == [(0, 0, "他们"), (0, 2, "它"), (3, 0, "他")]


@needs_cjk
def test_pronouns_are_found_in_raw_text(chinese: LanguagePack) -> None:
    lines = ["你好。", "吉他和其他人", "“他们说它好。” 他走了。"]
    matcher = FormMatcher(chinese, ["他", "他们", "它"])
    # A line without the characters need not be tokenized; one with them may have no pronoun.
    assert [*matcher.lines_to_tokenize(lines, Runs.of(lines))] == [1, 2]
    found = find_by_form(lines, Runs.of(lines), matcher, words=Tokenizer(chinese).words)
    assert [(p.segment, p.position, p.form) for p in found] == [(2, 1, "他们"), (2, 3, "它"), (2, 7, "他")]


def test_another_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "xx.toml").write_text(
        'forms = [{ form = "他", person = 3, number = "singular", gender = "any", case = "any" }]\n'
        '[about]\nname = "X"\nscript = "CJK"\nfacts = "x"\nlicence = "x"\n'
        '[tokens]\nword_breaker = "scissors"\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="word_breaker") as raised:
        load_language("xx", folder=tmp_path)
    assert "jieba" in f"{raised.value.what} {raised.value.fix}"


@needs_cjk
@pytest.mark.parametrize(
    ("pair", "tokenizer"), [("en-zh", "zh"), ("en-ja", "char"), ("zh-en", "13a"), ("en-fr", "13a")]
)
def test_bleu_has_tokens_of_the_target(pair: str, tokenizer: str) -> None:
    assert Bleu.build(MetricContext.of(Settings(pair=pair))).tokenize == tokenizer
    assert Bleu.build(MetricContext.of(Settings(pair=pair, tokenized=True))).tokenize == "none"


@needs_cjk
@pytest.mark.parametrize("pair", ["zh-en", "en-zh"])
def test_the_version_for_a_source_is_in_the_signature(pair: str) -> None:
    texts = {"zh": ["桥很旧，但它很安全。"], "en": ["The bridge is old, but it is safe."]}
    source, target = pair.split("-")
    report = anaphor.evaluate(
        pair=pair,
        source=texts[source],
        references=texts[target],
        systems={"a": texts[target]},
        metrics="apt",
        samples=0,
    )
    fields = str(report.systems[0].scores[0].signature).split("|")
    chinese = f"anaphor-zh+jieba-{metadata.version('jieba')}"
    assert {"zh-en": f"tok:{chinese}/anaphor-en", "en-zh": f"tok:{chinese}"}[pair] in fields
