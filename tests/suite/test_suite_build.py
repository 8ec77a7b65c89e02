"""Suites from annotated projects and from plain text, whole: documents in, items with their places out."""

from __future__ import annotations

import json
import tarfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.sax.saxutils import escape

import pytest

from anaphor.align import AlignerChoice
from anaphor.cli.main import main
from anaphor.core import Alignment, Item, LanguagePair, Span, Where
from anaphor.corpus import Text
from anaphor.corpus.mmax2 import Markable, Mmax2Document
from anaphor.suite import load_categories, load_suite
from anaphor.suite.build import BuildConfig, BuildTools, build_suite
from anaphor.suite.build.documents import AnnotatedPlace, BuildCorpus, BuildDocument
from anaphor.suite.build.mmax2 import mmax2_corpus
from anaphor.suite.texts import SOURCE

#: Sentences of an invented talk. A mark `[set:attributes|words]` is a mention of a chain.
ENGLISH = [
    "We bought [1:np|a red car] .",
    "[1:subject|It] was cheap , but [1:subject|it] broke down .",
    "[2:np|The doors] were old and [2:they|they] did not close .",
    "[:pleonastic|It] is important to be patient .",
    "Nobody likes to wait , and [3:event|it] makes us angry .",
    "If you own a house , you pay taxes .",
]
FRENCH = [
    "Nous avons acheté une voiture rouge .",
    "Elle était bon marché , mais elle est tombée en panne .",
    "Les portes étaient vieilles",
    "et elles ne fermaient pas .",
    "Il est important d' être patient .",
    "Personne n' aime attendre , et cela nous met en colère .",
    "Si vous possédez une maison , vous payez des impôts .",
]
ATTRIBUTES = {
    "np": 'mention="np"',
    "subject": 'mention="pronoun" type="anaphoric" antetype="entity" position="subject"',
    "they": 'mention="pronoun" type="anaphoric" antetype="entity" agreement="plural"',
    "pleonastic": 'mention="pronoun" type="pleonastic"',
    "event": 'mention="pronoun" type="anaphoric" antetype="event"',
}


def project(folder: Path, sentences: list[str], name: str = "talk") -> Path:
    """An MMAX2 project of marked sentences."""
    words: list[str] = []
    spans: list[str] = []
    mentions: list[str] = []
    for sentence in sentences:
        first = len(words)
        for part in sentence.replace("[", "\n[").replace("]", "]\n").split("\n"):
            marked = part.startswith("[")
            head, _, text = part.strip("[]").partition("|") if marked else ("", "", part)
            start = len(words)
            words += text.split()
            if marked:
                chain, _, kind = head.partition(":")
                where = f'span="word_{start + 1}..word_{len(words)}" coref_class="set_{chain}"'
                mentions.append(f'<markable id="m{len(mentions)}" {where} {ATTRIBUTES[kind]}/>')
        spans.append(f'<markable id="s{len(spans)}" span="word_{first + 1}..word_{len(words)}"/>')
    for part in ("Basedata", "Markables"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    numbered = "".join(f'<word id="word_{n}">{escape(word)}</word>' for n, word in enumerate(words, start=1))
    files = {
        f"{name}.mmax": f"<mmax_project><words>{name}_words.xml</words></mmax_project>",
        f"Basedata/{name}_words.xml": f"<words>{numbered}</words>",
        f"Markables/{name}_sentence_level.xml": f"<markables>{''.join(spans)}</markables>",
        f"Markables/{name}_coref_level.xml": f"<markables>{''.join(mentions)}</markables>",
    }
    for file, text in files.items():
        (folder / file).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def annotated(tmp_path: Path) -> list[str]:
    """The options that name the invented talk and its reference."""
    source, target = project(tmp_path / "en", ENGLISH), project(tmp_path / "fr", FRENCH)
    return ["--corpus", str(source), "--reference", f"human={target}", "--pair", "en-fr"]


@pytest.fixture
def plain(tmp_path: Path) -> list[str]:
    """The same talk without annotation, line by line."""
    lines = {
        "en": [" ".join(part.split("|")[-1] for part in line.split("[")) for line in ENGLISH],
        "fr": [*FRENCH[:2], f"{FRENCH[2]} {FRENCH[3]}", *FRENCH[4:]],
    }
    for code, text in lines.items():
        (tmp_path / f"talk.{code}").write_text(
            "".join(f"{line.replace(']', '')}\n" for line in text), "utf-8"
        )
    paths = [str(tmp_path / f"talk.{code}") for code in lines]
    return ["--corpus", paths[0], "--reference", f"human={paths[1]}", "--pair", "en-fr"]


def build(options: list[str], output: Path, *more: str) -> None:
    assert main(["suite", "build", *options, "--output", str(output), *more]) == 0


def words_of(folder: Path) -> list[tuple[str, str, str, str, str]]:
    """Category, pronoun and head in the source and in the reference, of every item."""
    suite, texts = load_suite(folder)
    source, reference = texts.locators[SOURCE]["talk"], texts.locators["human"]["talk"]

    def shown(item: Item) -> tuple[str, str, str, str, str]:
        heads = [source.text(one.head) for one in item.antecedents]
        (pair,) = item.references
        theirs = [reference.text(place) for place in pair.heads]
        pronouns = source.text(item.pronoun), reference.text(pair.pronoun)
        return item.category, pronouns[0], " ".join(heads), pronouns[1], " ".join(theirs)

    return [shown(item) for item in suite.items]


def test_annotated_pronouns_become_items_with_heads_and_their_translations(
    annotated: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(annotated, tmp_path / "suite")
    assert words_of(tmp_path / "suite") == [
        ("anaphoric_inter_subject_it", "It", "car", "Elle", "voiture"),
        ("anaphoric_inter_subject_it", "it", "car", "elle", "voiture"),
        ("anaphoric_intra_they", "they", "doors", "elles", "portes"),
        ("pleonastic_it", "It", "", "Il", ""),
        ("event_it", "it", "", "cela", ""),
        ("addressee_generic_you", "you", "", "vous", ""),
        ("addressee_generic_you", "you", "", "vous", ""),
    ]
    shown = capsys.readouterr().out
    assert "missing: 23 of 25 anaphoric_inter_subject_it; the corpus has no more" in shown
    assert "note: talk: 6 sentences, 7 in human; 1 of 6 lines join several" in shown


def test_given_tokens_are_kept(annotated: list[str], tmp_path: Path) -> None:
    build(annotated, tmp_path / "suite", "--tokenized", "--annotated-only")
    assert [row[1:] for row in words_of(tmp_path / "suite")][:3] == [
        ("It", "car", "Elle", "voiture"),
        ("it", "car", "elle", "voiture"),
        ("they", "doors", "elles", "portes"),
    ]


def test_heads_follow_a_parse_where_there_is_one(tmp_path: Path) -> None:
    """The parse says, against the order of words, that *car* is the head of *the car door*."""
    source = project(tmp_path / "en", ["We sold [1:np|the car door] .", "[1:subject|It] was red ."])
    (tmp_path / "fr").write_text(
        "Nous avons vendu la portière de la voiture .\nElle était rouge .\n", "utf-8"
    )
    parses = [
        "We PRON 2 nsubj|sold VERB 0 root|the DET 4 det|car NOUN 2 obj|door NOUN 4 flat|. PUNCT 2 punct",
        "It PRON 3 nsubj|was AUX 3 cop|red ADJ 0 root|. PUNCT 3 punct",
    ]
    rows = [[cell.split() for cell in parse.split("|")] for parse in parses]
    text = "".join(
        "".join(
            f"{number}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for number, (word, tag, head, relation) in enumerate(row, start=1)
        )
        + "\n"
        for row in rows
    )
    (tmp_path / "en.conllu").write_text(text, encoding="utf-8")
    options = ["--corpus", str(source), "--reference", f"human={tmp_path / 'fr'}", "--pair", "en-fr"]
    build(options, tmp_path / "rules")
    parse = ["--analyser", "conllu", "--source-model", str(tmp_path / "en.conllu")]
    build(options, tmp_path / "parse", *parse)
    assert [row[2] for row in words_of(tmp_path / "rules")] == ["door"]
    assert [row[2] for row in words_of(tmp_path / "parse")] == ["car"]


def test_an_antecedent_that_does_not_count_needs_no_translation(tmp_path: Path) -> None:
    lines = ["We heard [4:np|the bang] .", "[4:event|It] frightened us ."]
    source = project(tmp_path / "en", lines)
    (tmp_path / "fr").write_text("Nous avons entendu .\nCela nous a effrayés .\n", encoding="utf-8")
    options = ["--corpus", str(source), "--reference", f"human={tmp_path / 'fr'}", "--pair", "en-fr"]
    build(options, tmp_path / "suite")
    (row,) = words_of(tmp_path / "suite")
    assert row == ("event_it", "It", "", "Cela", "")


def test_only_automatic_items_have_a_confidence(annotated: list[str], tmp_path: Path) -> None:
    build(annotated, tmp_path / "suite")
    items = load_suite(tmp_path / "suite").suite.items
    assert [item.confidence is None for item in items] == [True] * 5 + [False] * 2
    assert {item.features["origin"] for item in items[5:]} == {"automatic"}
    assert items[0].features["expected"] == "feminine singular"


def test_nothing_is_guessed_where_only_annotation_is_wanted(
    annotated: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build(annotated, tmp_path / "suite", "--annotated-only", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["plan"], report["chosen"], report["automatic"]) == (250, 5, 0)
    assert report["categories"]["addressee_generic_you"]["missing"] == 20
    assert report["categories"]["pleonastic_it"]["chosen"] == {"masculine singular": 1}


def test_plain_text_gives_items_that_are_all_to_be_confirmed(plain: list[str], tmp_path: Path) -> None:
    build(plain, tmp_path / "suite")
    items = load_suite(tmp_path / "suite").suite.items
    assert {item.document for item in items} == {"document"}
    assert all(item.confidence is not None and item.features["origin"] == "automatic" for item in items)
    assert {"pleonastic_it", "addressee_generic_you"} <= {item.category for item in items}


def test_the_reference_of_a_built_suite_gets_full_marks(annotated: list[str], tmp_path: Path) -> None:
    build(annotated, tmp_path / "suite")
    assert main(["suite", "check", str(tmp_path / "suite")]) == 0


def test_the_same_seed_writes_the_same_files(annotated: list[str], tmp_path: Path) -> None:
    for name in ("one", "two"):
        build(annotated, tmp_path / name, "--seed", "3")
    for file in ("suite.toml", "items.jsonl"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_items_come_in_the_order_of_the_documents_and_of_the_text(plain: list[str], tmp_path: Path) -> None:
    """The first document is the last by its name, and the plan has the category of its last items first."""
    (tmp_path / "documents").write_text("zebra\n" * 3 + "ape\n" * 3, encoding="utf-8")
    build(plain, tmp_path / "suite", "--documents", str(tmp_path / "documents"))
    found = [(item.document, item.pronoun[0].start) for item in load_suite(tmp_path / "suite").suite.items]
    names = [name for name, _ in found]
    assert names == sorted(names, reverse=True)
    assert set(names) == {"zebra", "ape"}
    for document in ("zebra", "ape"):
        offsets = [start for name, start in found if name == document]
        assert len(offsets) > 1
        assert offsets == sorted(offsets)


class GivenLinks(AlignerChoice):
    """An aligner choice that stands for one list of alignments."""

    def build(self) -> Any:
        """*It* is linked to *court* in the first segment, which is repaired, and to *Il* in the others."""
        wrong, right = Alignment((0, 1), (1, 1)), Alignment((0, 1), (0, 1))
        return SimpleNamespace(align=lambda pairs: [wrong, *(right for _ in pairs[1:])])


@pytest.mark.parametrize(("size", "expected"), [(1, {8, 18}), (2, {8, 18}), (3, {0, 8, 18})])
def test_repaired_links_are_used_only_where_a_category_would_fall_short(
    size: int, expected: set[int]
) -> None:
    source, reference = ("It runs", "It sleeps", "It eats"), ("Il court", "Il dort", "Il mange")
    features = {"function": "pleonastic", "form": "it"}
    places = tuple(AnnotatedPlace((Span(start, start + 2),), features, None) for start in (0, 8, 18))
    corpus = BuildCorpus((BuildDocument("d", source, {"human": reference}, places),))
    pair = LanguagePair("en", "fr")
    tools = BuildTools(pair, GivenLinks(pair=pair))
    chosen = set()
    for seed in range(10):
        config = BuildConfig(
            categories=load_categories("protest"),
            plan={"pleonastic_it": size},
            name="s",
            licence="x",
            automatic=False,
            seed=seed,
        )
        loaded, report = build_suite(corpus, config, tools)
        assert len(loaded.suite.items) == size
        assert dict(report.to_dict())["categories"]["pleonastic_it"]["possible"] == {"masculine singular": 3}
        chosen |= {item.pronoun[0].start for item in loaded.suite.items}
    assert chosen == expected


def test_a_mention_across_the_end_of_a_line_has_a_span_in_each() -> None:
    words = ("We", "saw", "the", "old", "mill", ".", "It", "turns", ".")
    mentions = (
        Markable("np", (3, 4, 6), {"mention": "np", "coref_class": "set_1"}, Where("x")),
        Markable("long", (4, 5, 6), {"mention": "np", "coref_class": "set_1"}, Where("x")),
        Markable("it", (7,), {"mention": "pronoun", "type": "anaphoric", "coref_class": "set_1"}, Where("x")),
    )
    document = Mmax2Document("d", words, (Span(0, 6), Span(6, 9)), mentions)
    apart = mmax2_corpus([document], {"r": Text.of(["Nous", "Il"], path="r")})
    joined = mmax2_corpus([document], {"r": [Mmax2Document("d", ("Nous", "Il"), (Span(0, 2),), ())]})
    for corpus, lines, antecedent in [
        (apart, 2, (Span(15, 21), Span(22, 24))),
        (joined, 1, (Span(15, 24),)),
    ]:
        (found,) = corpus.documents
        assert len(found.source) == lines
        assert found.annotated is not None
        assert [one.antecedent for one in found.annotated] == [antecedent]


@pytest.mark.parametrize("names", [("joined", "apart"), ("apart", "joined")])
def test_a_line_ends_where_it_does_in_every_reference(names: tuple[str, ...]) -> None:
    """One reference joins the first two of three sentences, the other has one line for each."""
    words = ("The", "old", "mill", "is", "near", ".", "It", "turns", "slowly", ".", "Yes", ".")
    document = Mmax2Document("d", words, (Span(0, 6), Span(6, 10), Span(10, 12)), ())
    joined = ("Le", "vieux", "moulin", "est", "proche", "et", "il", "tourne", "lentement", ".", "Oui", ".")
    references: dict[str, Text | list[Mmax2Document]] = {
        "joined": [Mmax2Document("d", joined, (Span(0, 10), Span(10, 12)), ())],
        "apart": Text.of(["Le moulin est là .", "Il tourne .", "Oui ."], path="apart"),
    }
    (found,) = mmax2_corpus([document], {name: references[name] for name in names}).documents
    assert found.source == ("The old mill is near . It turns slowly .", "Yes .")
    assert found.references["apart"] == ("Le moulin est là . Il tourne .", "Oui .")
    assert found.references["joined"] == ("Le vieux moulin est proche et il tourne lentement .", "Oui .")


def test_a_suite_can_be_written_without_its_text(annotated: list[str], tmp_path: Path) -> None:
    build(annotated, tmp_path / "suite", "--without-text")
    assert sorted(path.name for path in (tmp_path / "suite").iterdir()) == ["items.jsonl", "suite.toml"]


def test_two_references_share_their_lines(annotated: list[str], tmp_path: Path) -> None:
    """The second reference is plain text with a line for every sentence; the first one cuts one in two."""
    (tmp_path / "second.fr").write_text(
        "Nous avons acheté une auto rouge .\nElle n' était pas chère , mais elle est tombée en panne .\n"
        "Les portes étaient vieilles et elles ne fermaient pas .\nIl est important d' être patient .\n"
        "Personne n' aime attendre , et cela nous met en colère .\nSi on a une maison , on paie plus .\n",
        encoding="utf-8",
    )
    annotated.insert(4, str(tmp_path / "second.fr"))
    build(annotated, tmp_path / "suite")
    suite, texts = load_suite(tmp_path / "suite")
    assert suite.references() == ("human", "second")
    first = suite.items[0].references
    assert [texts.locators[one.reference]["talk"].text(one.heads[0]) for one in first] == ["voiture", "auto"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("--pair", "en-xx"), "unknown language pair: en-xx"),
        (("--plan", "protest-25"), "unknown plan: protest-25"),
        (("--categories", "protests"), "unknown pack of categories: protests"),
        (("--pair", "de-en"), "the categories are for en, the pair is de-en"),
        (("--pair", "nl-en"), "the categories are for en, the pair is nl-en"),
        (("--seed", "-1"), "seed must not be negative, got -1"),
        (("--documents", "x"), "MMAX2 projects are documents by themselves"),
        (("--reference", "absent.fr"), "absent.fr"),
    ],
)
def test_invalid_options_are_explained_in_three_parts(
    annotated: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: tuple[str, str],
    what: str,
) -> None:
    assert main(["suite", "build", *annotated, "--output", str(tmp_path / "s"), *change]) == 1
    message = capsys.readouterr().err
    assert what in message
    assert "fix:" in message
    assert not (tmp_path / "s").exists()


def test_parsed_text_is_not_taken_for_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = "\t".join(["1", "It", "it", "PRON", "_", "_", "0", "root", "_", "Entity=(e1)"])
    (tmp_path / "x.conllu").write_text(f"# newdoc id = a\n# text = It\n{row}\n\n", encoding="utf-8")
    (tmp_path / "x.fr").write_text("Il\n", encoding="utf-8")
    command = ["suite", "build", "--corpus", str(tmp_path / "x.conllu"), "--pair", "en-fr"]
    assert main([*command, "--reference", str(tmp_path / "x.fr"), "--output", str(tmp_path / "s")]) == 1
    assert "x.conllu is CoNLL-U (CorefUD)" in capsys.readouterr().err


def test_a_reference_without_a_document_is_refused(
    annotated: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path / "en", ENGLISH, name="zoo")
    assert main(["suite", "build", *annotated, "--output", str(tmp_path / "s")]) == 1
    assert "the reference human has no document zoo" in capsys.readouterr().err


def test_broken_and_missing_documents_are_left_out_on_request(
    annotated: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside the whole talk: one document that the reference lacks, one whose reference is broken."""
    for name in ("zoo", "torn"):
        project(tmp_path / "en", ENGLISH, name=name)
    project(tmp_path / "fr", FRENCH, name="torn")
    (tmp_path / "fr" / "Basedata" / "torn_words.xml").write_text("<words><word", encoding="utf-8")
    assert main(["suite", "build", *annotated, "--output", str(tmp_path / "s")]) == 1
    message = capsys.readouterr().err
    assert "torn_words.xml" in message
    assert "--skip-broken leaves invalid documents out" in message
    with warnings.catch_warnings():
        build(annotated, tmp_path / "s", "--skip-broken")
    assert [one.id for one in load_suite(tmp_path / "s").suite.documents] == ["talk"]
    notes = [line for line in capsys.readouterr().err.split("\n") if "left out" in line]
    assert len(notes) == 3
    assert "torn.mmax: left out" in notes[0]
    assert notes[1:] == [
        f"note: {name}: left out, it has no valid document in human" for name in ("torn", "zoo")
    ]


def test_a_corpus_of_broken_documents_is_refused_even_so(
    annotated: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "en" / "Basedata" / "talk_words.xml").write_text("<words><word", encoding="utf-8")
    assert main(["suite", "build", *annotated, "--skip-broken", "--output", str(tmp_path / "s")]) == 1
    assert "talk_words.xml" in capsys.readouterr().err


def unpack_parcor(data_dir: Path, folder: Path, *wanted: str) -> None:
    """Some folders of ParCorFull."""
    with tarfile.open(data_dir / "parcorfull" / "parcor-full-corpus.tar.gz") as archive:
        members = [one for one in archive.getmembers() if one.name.startswith(wanted)]
        archive.extractall(folder, members=members, filter="data")


@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
def test_the_german_news_are_built_without_the_broken_file(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Document 07 has a stray sign in its German annotation; the other eighteen become a suite."""
    unpack_parcor(data_dir, tmp_path, "corpus/news/EN/", "corpus/news/DE/")
    news = tmp_path / "corpus" / "news"
    options = ["--corpus", str(news / "EN"), "--reference", f"human={news / 'DE'}", "--pair", "en-de"]
    assert main(["suite", "build", *options, "--output", str(tmp_path / "suite")]) == 1
    assert "07_coref_level.xml:4:2" in capsys.readouterr().err
    build(options, tmp_path / "suite", "--skip-broken")
    documents = [one.id for one in load_suite(tmp_path / "suite").suite.documents]
    assert len(documents) == 18
    assert "07" not in documents


def test_plain_texts_of_unequal_length_are_refused(
    plain: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / "talk.fr").open("a", encoding="utf-8") as file:
        file.write("Une ligne de plus .\n")
    assert main(["suite", "build", *plain, "--output", str(tmp_path / "s")]) == 1
    assert "talk.fr:7" in capsys.readouterr().err


def test_documents_must_not_be_scattered(
    plain: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ids").write_text("a\na\nb\nb\na\na\n", encoding="utf-8")
    options = [*plain, "--documents", str(tmp_path / "ids"), "--output", str(tmp_path / "s")]
    assert main(["suite", "build", *options]) == 1
    assert "the lines of the document a are not together" in capsys.readouterr().err


def test_plain_text_offers_nothing_where_only_annotation_is_wanted(
    plain: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", "build", *plain, "--annotated-only", "--output", str(tmp_path / "s")]) == 1
    assert "no pronoun of the corpus qualifies as an item" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
def test_discomt_provides_the_whole_plan(
    data_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/suites/build.md: all 250 items, 45 of them (you) automatic; the reference gets full marks."""
    unpack_parcor(data_dir, tmp_path, "corpus/DiscoMT/EN/", "corpus/DiscoMT/FR/")
    talks = tmp_path / "corpus" / "DiscoMT"
    options = ["--corpus", str(talks / "EN"), "--reference", f"human={talks / 'FR'}", "--pair", "en-fr"]
    build(options, tmp_path / "suite", "--json")
    report = json.loads(capsys.readouterr().out)
    assert (report["chosen"], report["automatic"]) == (250, 45)
    assert all(row["missing"] == 0 for row in report["categories"].values())
    both = report["categories"]["anaphoric_inter_subject_it"]["chosen"]
    assert both["masculine singular"] == both["feminine singular"]
    assert main(["suite", "check", str(tmp_path / "suite")]) == 0
