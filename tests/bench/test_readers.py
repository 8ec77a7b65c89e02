"""The readers of the original formats, each on a few hand-written lines as its authors would write them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.bench.items import BenchItem
from anaphor.bench.readers import FORMATS
from anaphor.core import InputError, InputWarning, LanguagePair, Span, UserError

Write = Callable[[str, object], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines, or an object as JSON, and gives the path."""

    def to_file(name: str, content: object) -> str:
        lines = (
            content if isinstance(content, list) and all(isinstance(one, str) for one in content) else None
        )
        path = tmp_path / name
        text = "".join(f"{line}\n" for line in lines) if lines is not None else json.dumps(content)
        path.write_text(text, encoding="utf-8")
        return str(path)

    return to_file


def read(name: str, pair: str, *paths: str) -> list[BenchItem]:
    return list(FORMATS[name].read(paths, LanguagePair.parse(pair)))


CONTRAPRO = {
    "src segment": "Where is it?",
    "ref segment": "Wo ist sie?",
    "src pronoun": "it",
    "ref pronoun": "sie",
    "ante distance": 1,
    "intrasegmental": False,
    "document id": "d1",
    "src ante phrase": "the lamp",
    "errors": [
        {"contrastive": "Wo ist er?", "replacement": "er"},
        {"contrastive": "Wo ist es?", "replacement": "es"},
    ],
}


def test_contrapro_json(write: Write) -> None:
    (item,) = read("contrapro-json", "en-de", write("contrapro.json", [CONTRAPRO]))
    assert item == BenchItem(
        "0",
        ("Where is it?",),
        "d1",
        variants=("Wo ist sie?", "Wo ist er?", "Wo ist es?"),
        expected=("sie",),
        wrong=("er", "es"),
        pronoun="it",
        slot=Span(9, 11),
        category="intersegmental",
        distance=1,
        antecedent="the lamp",
    )


def test_contrapro_json_with_the_extracted_lines_of_context(write: Write) -> None:
    """The layout of json2text_and_context.pl: k lines for every variant, empty before a document."""
    path = write("contrapro.json", [CONTRAPRO, CONTRAPRO])
    before = write("contrapro.context.en", ["", "A lamp."] * 3 + ["Look!", "A new lamp."] * 3)
    prev = write("contrapro.context.de", ["", "Eine Lampe."] * 3 + ["Schau!", "Eine neue Lampe."] * 3)
    first, second = read("contrapro-json", "en-de", path, before, prev)
    assert (first.source, first.context) == (("A lamp.", "Where is it?"), ("Eine Lampe.",))
    assert second.source == ("Look!", "A new lamp.", "Where is it?")
    assert second.target(1) == ("Schau!", "Eine neue Lampe.", "Wo ist er?")
    with pytest.raises(UserError, match="has 5 lines"):
        read("contrapro-json", "en-de", path, write("short.en", ["x"] * 5), write("short.de", ["y"] * 5))


def test_contracat_text_has_groups_of_lines(write: Write) -> None:
    source = write("en.txt", ["The lamp. <SEP> Where is it?"] * 3 + ["A dog. <SEP> It barks."] * 2)
    target = ["Die Lampe. <SEP> Wo ist sie?", "Die Lampe. <SEP> Wo ist er?", "Die Lampe. <SEP> Wo ist es?"]
    target += ["Ein Hund. <SEP> Er bellt.", "Ein Hund. <SEP> Sie bellt."]
    for starts in (["0", "3"], ["0", "3", "5"]):
        items = read("contracat-text", "en-de", source, write("de.txt", target), write("groups", starts))
        assert [item.variants for item in items] == [
            ("Wo ist sie?", "Wo ist er?", "Wo ist es?"),
            ("Er bellt.", "Sie bellt."),
        ]
        assert items[0].source == ("The lamp.", "Where is it?")
        assert items[0].context == ("Die Lampe.",)
        assert (items[0].expected, items[0].wrong) == (("sie",), ("er", "es"))


def test_contracat_templates_keep_the_place_of_the_correct_variant(write: Write) -> None:
    lines = ["The cat ate it."] * 3
    target = ["Die Katze aß ihn.", "Die Katze aß sie.", "Die Katze aß es."]
    for genders in (["f"], ["f", "f", "f"]):
        paths = write("en.txt", lines), write("de.txt", target), write("genders.txt", genders)
        (item,) = read("contracat-templates", "en-de", *paths)
        assert item.variants == ("Die Katze aß sie.", "Die Katze aß ihn.", "Die Katze aß es.")
        assert (item.correct_at, item.category) == (1, "f")


def test_paired_lines_with_context_drop_the_lines_before_a_document(write: Write) -> None:
    source = write("current.src", ["It rains.", "It rains.", "Look at it.", "Look at it."])
    target = write("current.trg", ["Il pleut.", "Elle pleut.", "Regarde-la.", "Regarde-le."])
    before = write("c2.src", ["", "", "", "", "The house.", "It is old.", "The house.", "It is old."])
    prev = write(
        "c2.trg", ["", "", "", "", "La maison.", "Elle est vieille.", "La maison.", "Elle est vieille."]
    )
    first, second = read("paired-lines", "en-fr", source, target, before, prev)
    assert (first.source, first.context) == (("It rains.",), ())
    assert second.source == ("The house.", "It is old.", "Look at it.")
    assert second.context == ("La maison.", "Elle est vieille.")
    assert (second.expected, second.wrong) == (("la",), ("le",))
    assert len(read("paired-lines", "en-fr", source, target)) == 2


def test_the_json_lines_of_excerpts(write: Write) -> None:
    group = {"group": 4, "source": ["A lamp.", "It works."], "correct": ["Eine Lampe.", "Sie geht."]}
    wrong = [["Eine Lampe.", "Er geht."]]
    (item,) = read("context-jsonl", "en-de", write("a.jsonl", [json.dumps(group | {"wrong": wrong})]))
    assert (item.id, item.target(1)) == ("4", ("Eine Lampe.", "Er geht."))
    pair = {"item": 8, "source": ["A car.", "It runs."], "context": ["Une voiture."]}
    pair |= {"correct": "Elle roule.", "wrong": "Il roule."}
    (item,) = read("paired-jsonl", "en-fr", write("b.jsonl", [json.dumps(pair)]))
    assert (item.expected, item.wrong, item.context) == (("elle",), ("il",), ("Une voiture.",))


def ctxpro(expected: str, rule: str, **other: object) -> dict[str, object]:
    fixed = {"src segment": "I see you.", "ref segment": f"Ich sehe {expected}.", "document id": "d"}
    return {**fixed, "src pronoun": "you", "expected": expected, "rule": rule, **other}


def test_ctxpro_contrasts_the_values_of_its_rules(write: Write) -> None:
    records = [
        ctxpro("dich", "ACC.INFORM.SING"),
        ctxpro("dir", "DAT.INFORM.SING"),
        ctxpro("Sie", "ACC.FORM+PLUR", **{"ante distance": 3, "src ante phrase": "sir"}),
    ]
    inputs = write("inputs", ["Hello.<eos> I see you."] * 3)
    items = read("ctxpro", "en-de", write("formality.json", records), inputs)
    assert (items[0].expected, items[0].wrong) == (("dich", "dir"), ("sie",))
    assert (items[1].expected, items[1].wrong) == (("dir", "dich"), ("sie",))
    assert items[2].source == ("Hello.", "I see you.")
    assert (items[2].distance, items[2].antecedent, items[2].category) == (3, "sir", "ACC.FORM+PLUR")


def test_an_elided_verb_has_no_wrong_forms(write: Write) -> None:
    record = ctxpro("weiß", "DO.ELL", **{"src verb": "do"})
    del record["src pronoun"]
    (item,) = read("ctxpro", "en-de", write("auxiliary.json", [record]))
    assert (item.expected, item.wrong, item.pronoun) == (("weiß",), (), "do")


def test_disceval_has_blocks(write: Write) -> None:
    right, wrong = ["Les pommes.", "Je les ai prises."], ["Les pommes.", "Je les ai pris."]
    block = {
        "src": ["The apples.", "I took them."],
        "trg": [{"semi-correct": right, "incorrect": wrong, "type": "f.pl"}],
    }
    (item,) = read("disceval-json", "en-fr", write("anaphora.json", {"7": block}))
    assert (item.id, item.group, item.category, item.distance) == ("7.1", "7", "f.pl semi-correct", 1)
    assert (item.expected, item.wrong) == (("prises",), ("pris",))
    choice = {
        "correct": ["La nappe.", "C'est une belle nappe."],
        "incorrect": ["La nappe.", "C'est une belle toile."],
    }
    lexical = {"type": "repet", "examples": [{"src": ["The cloth.", "A nice cloth."], "trg": choice}]}
    (item,) = read("disceval-json", "en-fr", write("lexical.json", {"1": lexical}))
    assert (item.expected, item.wrong, item.category) == (("nappe",), ("toile",), "repet")


def test_disceval_text(write: Write) -> None:
    paths = [
        write("prev.en", ["The car.", "The car."]),
        write("current.en", ["It runs.", "It runs."]),
        write("prev.fr", ["La voiture.", "La voiture."]),
        write("current.fr", ["Où va-t-elle ?", "Où va-t-il ?"]),
    ]
    (item,) = read("disceval-text", "en-fr", *paths)
    assert (item.source, item.context) == (("The car.", "It runs."), ("La voiture.",))
    assert (item.expected, item.wrong) == (("elle",), ("il",))


def test_scat_swaps_the_gender_for_the_wrong_variant(write: Write) -> None:
    paths = [
        write("x.en", ["Have <p>they</p> left?"]),
        write("x.fr", ["<p>Elles</p> sont parties ?"]),
        write("c.en", ["The women."]),
        write("c.fr", ["Les  <hon>femmes<hoff> ."]),
    ]
    (item,) = read("scat", "en-fr", *paths)
    assert item.variants == ("Elles sont parties ?", "Ils sont parties ?")
    assert item.source == ("The women.", "Have they left?")
    assert item.context == ("Les femmes.",)
    assert (item.expected, item.wrong, item.pronoun) == (("elles",), ("ils",), "they")


def test_scat_leaves_out_lines_without_a_mark_and_says_so(write: Write) -> None:
    lines = {
        "x.en": "<p>They</p> left.",
        "x.fr": "<p>Ils</p> partent.",
        "c.en": "Men.",
        "c.fr": "Des hommes.",
    }
    paths = [write(name, ["Yes.", line]) for name, line in lines.items()]
    with pytest.warns(InputWarning, match="left out 1 line without a marked pronoun, first in line 1"):
        (item,) = read("scat", "en-fr", *paths)
    assert item.id == "1"


def test_several_items_with_one_source_are_told_by_their_variants(write: Write) -> None:
    variants = [["Sie geht, und sie glänzt."], ["Er geht, und sie glänzt."], ["Es geht, und sie glänzt."]]
    variants += [["Sie geht, und sie glänzt."], ["Sie geht, und er glänzt."], ["Sie geht, und es glänzt."]]
    group = {
        "group": 7,
        "source": ["It works, and it shines."],
        "correct": variants[0],
        "wrong": variants[1:],
    }
    items = read("context-jsonl", "en-de", write("a.jsonl", [json.dumps(group)]))
    assert [item.id for item in items] == ["7.1", "7.2"]
    assert items[1].variants == tuple(sentence for (sentence,) in variants[3:])


def test_pecore_examples(write: Write) -> None:
    row = {
        "source_context": "The plates.",
        "source_current": "Are they clean?",
        "source_current_tagged": "Are <p>they</p> clean?",
        "gold_target_context": "Les assiettes.",
        "gold_target_current": "Elles sont propres ?",
        "gold_target_current_tagged": "<p>Elles</p> sont propres ?",
        "gold_target_current_contrast": "Ils sont propres ?",
    }
    (item,) = read("pecore-tsv", "en-fr", write("x.tsv", ["\t".join(row), "\t".join(row.values())]))
    assert (item.expected, item.wrong, item.pronoun) == (("elles",), ("ils",), "they")
    assert item.target(1) == ("Les assiettes.", "Ils sont propres ?")


def test_voita_moves_the_true_variant_first(write: Write) -> None:
    record = {
        "src": "you ? _eos go .",
        "dst": ["вы ? _eos иди .", "вы ? _eos идите ."],
        "true_ind": 1,
        "ctx_dist": 1,
    }
    (item,) = read("voita", "en-ru", write("deixis.json", [record]))
    assert item.variants == ("идите .", "иди .")
    assert (item.correct_at, item.distance, item.context) == (1, 1, ("вы ?",))
    other = record | {"dst": ["ты ? _eos иди .", "вы ? _eos идите ."]}
    (item,) = read("voita", "en-ru", write("deixis.json", [other]))
    assert item.contexts == (("вы ?",), ("ты ?",))


def test_winomt_marks_the_entity_with_its_article(write: Write) -> None:
    line = "male\t5\tThe developer argued with the designer, because his idea failed.\tdesigner"
    (item,) = read("winomt", "en-de", write("en.txt", [line]))
    assert item.slot is not None
    assert item.source[0][slice(*item.slot)] == "the designer"
    assert item.category == "male"


def test_mtgeneval(write: Write) -> None:
    source = write("2to1", ["She sings. <sep> The actor left."])
    paths = source, write("original", ["L'actrice est partie."]), write("flipped", ["L'acteur est parti."])
    (item,) = read("mtgeneval-context", "en-fr", *paths)
    assert item.source == ("She sings.", "The actor left.")
    assert (item.expected, item.wrong) == (("actrice", "partie"), ("acteur", "parti"))
    # The official rule cuts at hyphens, our tokenizer does not: both words are expected.
    paths = (
        source,
        write("vo", ["Il est chirurgien-dentiste."]),
        write("vf", ["Elle est chirurgienne-dentiste."]),
    )
    (item,) = read("mtgeneval-context", "en-fr", *paths)
    assert item.expected == ("il", "chirurgien", "chirurgien-dentiste")
    sides = [write(name, [text]) for name, text in (("m", "He left."), ("f", "She left."))]
    references = [write(name, [text]) for name, text in (("rm", "Il est parti."), ("rf", "Elle est partie."))]
    items = read("mtgeneval-sentences", "en-fr", *sides, *references)
    assert [(one.category, one.group, one.variants[0]) for one in items] == [
        ("masculine", "0", "Il est parti."),
        ("feminine", "0", "Elle est partie."),
    ]


GATE = "labels\tsource\tf\tm\tkw_s"


def test_gate_has_the_wanted_gender_first(write: Write) -> None:
    """As in its files: quotation marks enclose a field, and a label may be there twice."""
    path = write(
        "ES_2_variants.tsv",
        [GATE, 'SUBJ;PROF;SUBJ\t"""Hi"", said my boss."\tMi jefa.\tMi jefe.\tboss', "FAM\tB.\tx\tx\tb"],
    )
    with pytest.warns(InputWarning, match="1 row with the same text for both genders, first in line 3"):
        first, second = read("gate-feminine", "en-es", path)
    assert first.source == ('"Hi", said my boss.',)
    assert (first.variants, first.expected, first.wrong) == (("Mi jefa.", "Mi jefe."), ("jefa",), ("jefe",))
    assert first.labels == ("SUBJ", "PROF")
    assert second.variants == ("x",)
    with pytest.warns(InputWarning, match="same text"):
        first, _ = read("gate-masculine", "en-es", path)
    assert first.variants == ("Mi jefe.", "Mi jefa.")


@pytest.mark.parametrize(
    ("lines", "what", "line"),
    [
        (["labels\tsource\tff\tfm\tmf\tmm"], "no column f or m", 1),
        ([GATE, "PROF\ta\tb\tc\td", "PROF\ta\tb"], "3 fields in a row, the heading has 5", 3),
        ([GATE, 'PROF\ta\tb\tc\t"d', "PROF\ta\tb\tc\td"], "quotation mark", 2),
        ([GATE, "PROF\ta\t \tc\td"], "f is empty", 2),
        ([GATE, "\ta\tb\tc\td"], "labels is empty", 2),
        ([GATE, "PROF\ta\rb\tb\tc\td"], "not a row", 2),
    ],
)
def test_bad_files_of_gate_are_named_with_their_line(
    lines: list[str], what: str, line: int, write: Write
) -> None:
    path = write("ES_2_variants.tsv", lines)
    with pytest.raises(InputError) as caught:
        read("gate-feminine", "en-es", path)
    assert what in caught.value.what
    assert str(caught.value.where) == f"{path}:{line}"


def test_a_shipped_suite_is_a_bench(tmp_path: Path) -> None:
    from anaphor.suite import copy_shipped

    copy_shipped("anaphor-en-fr", str(tmp_path / "suite"))
    items = read("suite", "en-fr", str(tmp_path / "suite"))
    assert items[0].expected == ("elle",)
    assert items[0].pronoun == "It"
    assert all(item.variants and item.expected for item in items)


@pytest.mark.parametrize(
    ("name", "files", "what"),
    [
        ("contrapro-json", {"a.json": {"x": 1}}, "does not hold a list"),
        ("contrapro-json", {"a.json": [{**CONTRAPRO, "ref pronoun": ""}]}, "item[0].ref pronoun: expected"),
        ("contrapro-json", {"a.json": ["not JSON"]}, "not valid JSON"),
        ("contracat-text", {"en": ["a"], "de": ["b"], "g": ["x"]}, "not a line number"),
        ("contracat-text", {"en": ["a", "b"], "de": ["c", "d"], "g": ["0"]}, "not one source sentence"),
        ("contracat-templates", {"en": ["a"] * 3, "de": ["b", "c", "d"], "g": ["x"]}, "not a gender"),
        ("contracat-templates", {"en": ["a"] * 2, "de": ["b", "c"], "g": ["m"]}, "not groups of three"),
        ("paired-lines", {"s": ["a"], "t": ["b"]}, "are not pairs"),
        ("paired-lines", {"s": ["a", "b"], "t": ["c", "d"]}, "different source sentences"),
        ("paired-lines", {"s": ["a", "a"], "t": ["c", "d"], "cs": ["x"] * 3, "ct": ["y"] * 3}, "has 3 lines"),
        ("ctxpro", {"a.json": [ctxpro("dich", "ACC.X")], "i": ["a", "b"]}, "has 2 lines"),
        ("ctxpro", {"a.json": [ctxpro("dich", "ACC.X")], "i": ["Other."]}, "is not the tested one"),
        (
            "scat",
            {"a": ["x"], "b": ["<p>on</p>"], "c": ["z"], "d": ["w"]},
            "is not il, elle, ils or elles: on",
        ),
        ("voita", {"a.json": [{"src": "a", "dst": ["b"], "true_ind": 1}]}, "true_ind: expected"),
        ("winomt", {"a": ["male\t9\tA b.\tb"]}, "not a WinoMT line"),
        ("mtgeneval-context", {"a": ["x"], "b": ["y", "z"], "c": ["w"]}, "has 2 lines"),
    ],
)
def test_bad_files_stop_with_what_is_wrong(
    name: str, files: dict[str, object], what: str, write: Write
) -> None:
    paths = [write(file, content) for file, content in files.items()]
    with pytest.raises(UserError) as caught:
        read(name, "en-fr", *paths)
    assert what in caught.value.what
    assert str(caught.value.where).split(":")[0] in paths
