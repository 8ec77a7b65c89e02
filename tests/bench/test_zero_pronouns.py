"""Pronouns that Chinese leaves out: the readers of mZPRT and TVSub, and the rules for their translations."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.align import AlignerChoice
from anaphor.bench import Bench, BenchOutcome, judge_translations, make_from_files, read_bench, write_bench
from anaphor.bench.zero_pronouns import decide_azpt, restored_sentences, zero_pronouns
from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError
from anaphor.languages import Tokenizer, load_language
from tests.support.cjk import needs_cjk

CHINESE = """\
[doc]
桥修好了吗？
<它>_S昨天修好了，谢谢<你>_O
[doc]
<我的>_Pa灯坏了，<它>_UN不亮了
你见到<他自己>_R了吗
"""
ENGLISH = """\
[doc]
Is the bridge repaired?
It was repaired yesterday. Thank you.
[doc]
My lamp is broken.
Did you see him?
"""


def written(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return make_from_files("mzprt", written(tmp_path, CHINESE, ENGLISH))


def test_every_mark_is_an_item(bench: Bench) -> None:
    assert [(item.id, item.pronoun, item.category, item.document) for item in bench.items] == [
        ("2.0", "它", "subject", "0"),
        ("2.1", "你", "object", "0"),
        ("4.0", "我的", "attributive", "3"),
        ("5.0", "他自己", "reflexive", "3"),
    ]
    first, second, third, _ = bench.items
    # What is translated has no marks; the slot is a span of what annotators have made of it.
    assert first.source == ("桥修好了吗？", "昨天修好了，谢谢")
    assert (first.context, first.variants) == (
        ("Is the bridge repaired?",),
        ("It was repaired yesterday. Thank you.",),
    )
    assert first.restored == second.restored == "它昨天修好了，谢谢你"
    assert [item.slot and item.restored[item.slot.start : item.slot.end] for item in bench.items] == [
        *("它", "你", "我的", "他自己"),
    ]
    # The document before is no context; the pronoun that nobody translates stays in the sentence.
    assert (third.source, third.restored) == (("灯坏了，不亮了",), "我的灯坏了，它不亮了")


def test_a_bench_file_keeps_everything(bench: Bench, tmp_path: Path) -> None:
    write_bench(tmp_path / "own.jsonl", bench)
    assert read_bench(tmp_path / "own.jsonl") == bench
    changed = (tmp_path / "own.jsonl").read_text("utf-8").replace('"slot": [0, 1], ', "", 1)
    (tmp_path / "own.jsonl").write_text(changed, encoding="utf-8")
    with pytest.raises(InputError, match="slot"):
        read_bench(tmp_path / "own.jsonl")


def test_unknown_marks_are_counted(tmp_path: Path) -> None:
    files = written(tmp_path, "[doc]\n<这>_O很好\n<他>_X走了\n<他>_S走了\n", "[doc]\na\nb\nHe left.\n")
    with pytest.warns(InputWarning, match="left out 2 marks .* first in line 2"):
        assert len(make_from_files("mzprt", files).items) == 1


def test_files_of_two_lengths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MismatchError):
        make_from_files("mzprt", written(tmp_path, CHINESE, "one line\n"))


def test_tvsub_is_compared_with_its_oracle(tmp_path: Path) -> None:
    source = "昨天 修好 了 , 谢谢\n灯 的 颜色\n你 自己 来\n早该 买 了\n"
    oracle = "它 昨天 修好 了 , 谢谢 你\n我的 灯 的 颜色\n你 自己 来\n我 早 该 买 过 了\n"
    reference = (
        "it was repaired yesterday &amp; thank you\nthe colour of my lamp\ncome yourself\ni should have\n"
    )
    with pytest.warns(InputWarning, match=r"left out 1 difference .* first in line 4"):
        bench = make_from_files("tvsub", written(tmp_path, source, oracle, reference))
    assert [(item.id, item.pronoun, item.restored) for item in bench.items] == [
        ("0.0", "它", "它昨天修好了,谢谢你"),
        ("0.1", "你", "它昨天修好了,谢谢你"),
        ("1.0", "我的", "我的灯的颜色"),
        ("3.0", "我", "我早该买过了"),
    ]
    assert bench.items[0].variants == ("it was repaired yesterday & thank you",)
    assert bench.items[2].source == ("昨天修好了,谢谢", "灯的颜色")
    # No role is marked: any form of the pronoun is accepted, but a possessive only for a possessive.
    assert bench.items[0].expected == ("it", "its", "itself")
    assert bench.items[2].expected == ("my", "mine")


@pytest.mark.parametrize(
    ("pronoun", "role", "forms"),
    [
        ("我", "S", "i me myself"),
        ("我们", "O", "us we ourselves"),
        ("她的", "Pa", "her hers"),
        ("我的", "P", "mine my"),
        ("他自己", "R", "himself he him"),
        # The program's own expectations.
        ("它", "Pa", "it its"),
        ("她的", "P", "her hers"),
        ("你们的", "Pa", "yours your"),
        ("这", "O", ""),
    ],
)
def test_forms_of_a_role_begin_with_the_one_that_azpt_expects(pronoun: str, role: str, forms: str) -> None:
    assert zero_pronouns().expected(pronoun, role) == tuple(forms.split())


def test_forms_of_other_pronouns_are_wrong() -> None:
    wrong = zero_pronouns().wrong("他的")
    assert {"she", "her", "it", "they", "you"} <= set(wrong)
    assert not {"he", "him", "his", "himself"} & set(wrong)


WORDS = ("a", "b", "c", "it", "d", "e", "f", "g", "h")


@pytest.mark.parametrize(
    ("links", "right", "places", "searched"),
    [
        # Source word 2. The linked word itself, whichever of several it is.
        ({2: [3]}, True, (3,), ""),
        ({2: [8, 3]}, True, (3,), ""),
        # Two words to the left of a linked one, and three to the right: the window is not symmetric.
        ({2: [5]}, True, (3,), ""),
        ({2: [6]}, False, (4, 5, 6, 7, 8), "d e f g h"),
        ({2: [0]}, True, (3,), ""),
        # The last of several windows is what is marked; its words reach one farther than its places.
        ({2: [8, 7]}, False, (5, 6, 7, 8), "e f g h"),
        # Not linked: from the left neighbour's first word to the end, past the right neighbour.
        ({1: [1, 2], 3: [2]}, True, (3,), ""),
        ({1: [4, 6], 3: [7]}, False, (6,), "d e f g h"),
        # Without a left neighbour from the beginning, without a right one up to the last word but one.
        ({3: [1]}, True, (3,), ""),
        ({1: [4]}, False, (4, 5, 6, 7, 8), "d e f g"),
        ({}, True, (3,), ""),
    ],
)
def test_azpt_decides_as_its_program(
    links: dict[int, list[int]], right: bool, places: tuple[int, ...], searched: str
) -> None:
    """Traced by hand through aZPT.py and alignment.py, with two neighbours."""
    decision = decide_azpt("it", WORDS, links, 2, neighbours=2)
    assert (decision.right, decision.places, decision.searched) == (right, places, tuple(searched.split()))


def test_azpt_finds_nothing_in_nothing() -> None:
    assert not decide_azpt("it", [], {}, 0).right


@needs_cjk
def test_restored_pronouns_are_tokens(bench: Bench) -> None:
    """Also next to words that jieba would join with them, and in every item of the sentence."""
    sentences = restored_sentences(bench, Tokenizer(load_language("zh")))
    assert sentences[0].tokens == sentences[1].tokens == ("它", "昨天", "修好", "了", "，", "谢谢", "你")
    assert sentences[2].tokens[0] == "我的"
    # The mark that is no item is text like any other.
    assert "".join(sentences[2].tokens) == "我的灯坏了，它不亮了"
    assert "他自己" in sentences[3].tokens


@needs_cjk
@pytest.mark.filterwarnings("ignore:there are no built-in priors")
def test_translations_are_judged_by_both_rules(tmp_path: Path) -> None:
    """Links are learned from twelve sentences alike, so that the counterpart of every word is clear."""
    nouns = {"桥": "bridge", "灯": "lamp", "车": "car", "门": "door", "船": "boat", "钟": "clock"}
    chinese = "".join(f"[doc]\n我喜欢这{noun}，<它>_S很好\n" for noun in nouns)
    english = "".join(f"[doc]\nI like this {noun}, it is good.\n" for noun in nouns.values())
    bench = make_from_files("mzprt", written(tmp_path, chinese, english))
    right, wrong, absent = (
        "I like this {}, it is good.",
        "I like this {}, she is good.",
        "I like this {}, is good.",
    )
    lines = [
        text.format(noun)
        for text, noun in zip((right, wrong, absent, right, wrong, absent), nouns.values(), strict=True)
    ]
    judged = judge_translations(bench, lines, aligner=AlignerChoice(pair=LanguagePair("zh", "en")))
    expected = (BenchOutcome.RIGHT, BenchOutcome.WRONG, BenchOutcome.ABSENT) * 2
    assert judged.outcomes["linked"] == expected
    assert [one is BenchOutcome.RIGHT for one in judged.outcomes["official"]] == [
        one is BenchOutcome.RIGHT for one in expected
    ]


@needs_cjk
@pytest.mark.filterwarnings("ignore:there are no built-in priors")
def test_tvsub_has_no_official_rule(tmp_path: Path) -> None:
    bench = make_from_files("tvsub", written(tmp_path, "走 了\n", "他 走 了\n", "he left\n"))
    judged = judge_translations(bench, ["He left."])
    assert judged.outcomes == {"linked": (BenchOutcome.RIGHT,)}
