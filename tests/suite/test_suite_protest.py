"""Suites and PROTEST databases: nothing is lost on the way there and back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import (
    Alternative,
    InputError,
    LanguagePair,
    MismatchError,
    OptionError,
    Span,
    UnknownNameError,
)
from anaphor.suite import LoadedSuite, ProtestMetadata, from_protest, to_protest
from anaphor.suite.protest.database import (
    AnnotationRow,
    AnnotatorRow,
    AntecedentRow,
    CandidateRow,
    CorpusRow,
    DocumentRow,
    MetaData,
    OwnText,
    ProtestDatabase,
    SentenceRow,
    TokenAnnotationRow,
    TranslationRow,
    read_protest,
    write_protest,
)

NONE = ProtestMetadata()
OWN_TABLES = {"anaphor_suite": (), "anaphor_items": (), "anaphor_texts": ()}
EN_FR = ProtestMetadata(pair=LanguagePair("en", "fr"), references=("human", "second"))


def through_a_file(database: ProtestDatabase, folder: Path) -> ProtestDatabase:
    write_protest(folder / "suite.db", database)
    return read_protest(folder / "suite.db")


def test_a_suite_comes_back_as_it_was(loaded: LoadedSuite, tmp_path: Path) -> None:
    first, *others = loaded.suite.items
    alternative = Alternative("elle", ("bicyclette",), "A", None)
    full = replace(first, alternatives=(alternative,), features={"form": "it"}, confidence=0.5)
    suite = replace(loaded.suite, items=(full, *others))
    database = through_a_file(to_protest(LoadedSuite(suite, loaded.texts)), tmp_path)
    again = from_protest(database, NONE, path="suite.db")
    assert again.suite == suite
    for side, documents in loaded.texts.sides():
        found = dict(again.texts.sides())[side]
        assert {name: text.lines for name, text in found.items()} == {
            name: text.lines for name, text in documents.items()
        }


def test_the_tables_of_protest_say_the_same_in_tokens(loaded: LoadedSuite) -> None:
    """By hand: `It is red .` is the second line of the first document, and `Il` its translation."""
    database = to_protest(loaded)
    assert database.corpora == (
        CorpusRow(1, "human", 0),
        CorpusRow(2, "human", 1),
        CorpusRow(3, "second", 0),
        CorpusRow(4, "second", 1),
    )
    assert database.sentences[1] == SentenceRow(2, 1, 1, "It is red .")
    assert database.pro_candidates[0] == CandidateRow(1, 1, 2, 1, 1, "It", 0, 0, 1, 1)
    assert database.pro_antecedents[0] == AntecedentRow(1, 1, 2, 1, 1, 0, 2, 3, "bicycle", 3, 0)
    assert [row[1:] for row in database.translations[:2]] == [(2, 1, None, 1, 0), (2, 1, 1, 0, 3)]
    assert {row.example_no for row in database.pro_candidates if row.tgtcorpus == 4} == {5}


def test_tables_alone_give_a_suite_of_tokenised_texts(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)._replace(**OWN_TABLES)
    found = from_protest(database, EN_FR, path="suite.db")
    assert found.texts.source_lines[:2] == ("I own a bicycle .", "It is red .")
    words = {
        item.id: [
            found.texts.locators["source"][item.document].text(item.pronoun),
            *(found.texts.locators["source"][item.document].text(one.head) for one in item.antecedents),
            *(
                found.texts.locators[pair.reference][item.document].text(place)
                for pair in item.references
                for place in (pair.pronoun, *pair.heads)
            ),
        ]
        for item in found.suite.items
    }
    assert words["example-1"] == ["It", "bicycle", "Il", "vélo"]
    assert words["example-5"] == ["It", "funeral", "Elles", "funérailles", "Il", "enterrement"]
    assert words["example-7"] == ["you", "on"]
    assert [category.antecedent for category in found.suite.categories] == [True, True, False, False, False]


def annotated(database: ProtestDatabase, *, ant: str = "ok", anaph: str = "ok") -> ProtestDatabase:
    """The database with a system that says `Elle` and `bicyclette` for the first example, and a judgement."""
    return database._replace(
        meta_data=(*database.meta_data, MetaData("time_created", "2016-05-23 10:00:00")),
        corpora=(*database.corpora, CorpusRow(9, "mt", 1)),
        sentences=(
            *database.sentences,
            SentenceRow(901, 9, 0, "J' ai une bicyclette ."),
            SentenceRow(902, 9, 1, "Elle est rouge ."),
        ),
        pro_candidates=(*database.pro_candidates, CandidateRow(99, 1, 9, 1, 1, "It", 0, 0, 1, 1)),
        pro_antecedents=(
            *database.pro_antecedents,
            AntecedentRow(99, 1, 9, 1, 1, 0, 2, 3, "bicycle", 3, 0),
        ),
        translations=(
            *database.translations,
            TranslationRow(901, 9, 1, None, 1, 0),
            TranslationRow(902, 9, 1, 1, 0, 2),
            TranslationRow(903, 9, 1, 1, 0, 3),
        ),
        annotators=(AnnotatorRow(3, "A. Judge"),),
        annotations=(AnnotationRow(1, 99, 3, ant, anaph, None, "ana_ok ant_ok"),),
        token_annotations=(
            TokenAnnotationRow(1, 99, 1, 0, "ok", 3),
            TokenAnnotationRow(2, 99, 0, 3, "ok", 3),
        ),
    )


def test_adjacent_tokens_of_a_line_are_one_span(loaded: LoadedSuite) -> None:
    """The first example gets other tokens: two adjacent ones, two apart, two with a line end between them."""
    database = to_protest(loaded)._replace(**OWN_TABLES)
    for tokens, expected in [
        ([(1, 1), (1, 2)], ["est rouge"]),
        ([(1, 2), (1, 0)], ["Il", "rouge"]),
        ([(0, 4), (1, 0)], [".", "Il"]),
    ]:
        others = [row for row in database.translations if row[1:4] != (2, 1, None)]
        rows = [TranslationRow(900 + n, 2, 1, None, *at) for n, at in enumerate(tokens)]
        found = from_protest(database._replace(translations=(*rows, *others)), EN_FR, path="suite.db")
        locator = found.texts.locators["human"]["document-1"]
        place = found.suite.items[0].references[0].pronoun
        assert [locator.text((span,)) for span in place] == expected


@pytest.mark.parametrize("own", [True, False])
def test_what_annotators_approved_becomes_an_alternative(loaded: LoadedSuite, own: bool) -> None:
    database = annotated(to_protest(loaded))
    if not own:
        database = database._replace(**OWN_TABLES)
    found = from_protest(database, EN_FR, path="suite.db")
    expected = Alternative("Elle", ("bicyclette",), "A. Judge", "2016-05-23")
    assert [item.alternatives for item in found.suite.items] == [(expected,), *[()] * 6]


def test_only_tokens_marked_ok_belong_to_an_alternative(loaded: LoadedSuite) -> None:
    database = annotated(to_protest(loaded))
    marks = (*database.token_annotations, TokenAnnotationRow(3, 99, 0, 2, "bad", 3))
    found = from_protest(database._replace(token_annotations=marks), NONE, path="suite.db")
    assert [one.heads for one in found.suite.items[0].alternatives] == [("bicyclette",)]


def test_an_alternative_that_the_item_has_already_is_not_repeated(loaded: LoadedSuite) -> None:
    known = Alternative("Elle", ("bicyclette",), "A. Judge", "2016-05-23")
    first, *others = loaded.suite.items
    suite = replace(loaded.suite, items=(replace(first, alternatives=(known,)), *others))
    found = from_protest(annotated(to_protest(LoadedSuite(suite, loaded.texts))), NONE, path="suite.db")
    assert found.suite.items[0].alternatives == (known,)


def test_a_judgement_of_a_reference_gives_no_alternative(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)._replace(
        annotators=(AnnotatorRow(3, "A. Judge"),),
        annotations=(AnnotationRow(1, 1, 3, "ok", "ok", None, None),),
        token_annotations=(TokenAnnotationRow(1, 1, 1, 0, "ok", 3), TokenAnnotationRow(2, 1, 0, 3, "ok", 3)),
    )
    assert from_protest(database, NONE, path="suite.db").suite == loaded.suite


def test_items_of_other_databases_are_in_the_order_of_their_examples(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)._replace(**OWN_TABLES)
    turned = database._replace(pro_candidates=database.pro_candidates[::-1])
    found = from_protest(turned, EN_FR, path="suite.db")
    assert [item.id for item in found.suite.items] == [f"example-{number}" for number in range(1, 8)]


def test_an_antecedent_over_two_lines_is_written_as_the_part_with_its_head(loaded: LoadedSuite) -> None:
    """The antecedent becomes `bicycle .` and `It` of the next line; a row has tokens of one line only."""
    first, *others = loaded.suite.items
    (antecedent,) = first.antecedents
    longer = replace(antecedent, span=(Span(8, 16), Span(17, 19)))
    suite = replace(loaded.suite, items=(replace(first, antecedents=(longer,)), *others))
    row = to_protest(LoadedSuite(suite, loaded.texts)).pro_antecedents[0]
    assert (row.line, row.srcstartpos, row.srcendpos, row.srcheadpos) == (0, 3, 4, 3)


@pytest.mark.parametrize(("ant", "anaph"), [("bad", "ok"), ("ok", "bad"), ("unset", "ok"), ("ok", "unset")])
def test_a_judgement_that_is_not_ok_gives_no_alternative(loaded: LoadedSuite, ant: str, anaph: str) -> None:
    found = from_protest(annotated(to_protest(loaded), ant=ant, anaph=anaph), NONE, path="suite.db")
    assert found.suite == loaded.suite


def test_tables_that_no_longer_agree_with_the_suite_are_refused(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)
    changed = database._replace(translations=database.translations[1:])
    with pytest.raises(MismatchError, match="since the suite was exported: translations"):
        from_protest(changed, NONE, path="suite.db")


def test_a_suite_that_no_longer_agrees_with_its_hash_is_refused(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)
    header = database.anaphor_suite[0]._replace(header=database.anaphor_suite[0].header.replace("1.0", "1.1"))
    with pytest.raises(MismatchError, match="anaphor_suite"):
        from_protest(database._replace(anaphor_suite=(header,)), NONE, path="suite.db")


def test_the_order_and_surplus_of_rows_do_not_matter(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)
    texts = (*reversed(database.anaphor_texts), OwnText("source", "other", "More ."))
    surplus = CandidateRow(999, 1, 2, 999, 1, "It", 0, 0, 1, 1)
    changed = database._replace(
        anaphor_texts=texts,
        anaphor_items=database.anaphor_items[::-1],
        pro_candidates=(surplus, *database.pro_candidates),
    )
    found = from_protest(changed, NONE, path="suite.db")
    assert found.suite == loaded.suite
    assert found.texts.source_lines == loaded.texts.source_lines


def test_missing_texts_and_items_are_refused_with_the_table(loaded: LoadedSuite) -> None:
    database = to_protest(loaded)
    with pytest.raises(InputError, match="the text of bicycle"):
        from_protest(database._replace(anaphor_texts=database.anaphor_texts[1:]), NONE, path="suite.db")
    broken = database.anaphor_items[0]._replace(record="{}")
    with pytest.raises(InputError) as caught:
        from_protest(
            database._replace(anaphor_items=(broken, *database.anaphor_items[1:])), NONE, path="suite.db"
        )
    assert str(caught.value.where) == "suite.db [items.jsonl]:1"


@pytest.mark.parametrize(
    ("naming", "error", "what"),
    [
        (NONE, OptionError, "name its languages"),
        (replace(EN_FR, references=()), OptionError, "2 translations: human, second"),
        (replace(EN_FR, references=("third",)), UnknownNameError, "unknown translation: third"),
    ],
)
def test_metadata_that_the_tables_lack_must_be_given(
    loaded: LoadedSuite, naming: ProtestMetadata, error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        from_protest(to_protest(loaded)._replace(**OWN_TABLES), naming, path="suite.db")


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("pro_candidates", CandidateRow(1, 1, 2, 1, 99, "It", 0, 0, 1, 1)),
        ("pro_candidates", CandidateRow(1, 1, 2, 1, 1, "It", 9, 0, 1, 1)),
        ("pro_candidates", CandidateRow(1, 1, 2, 1, 1, "It", -1, 0, 1, 1)),
        ("pro_candidates", CandidateRow(1, 1, 2, 1, 1, "It", 0, 0, 77, 1)),
        ("sentences", SentenceRow(1, 1, 5000, "It is red .")),
        ("documents", DocumentRow(1, 1, 0, 10**15)),
        ("documents", DocumentRow(1, 1, 0, 0)),
        ("documents", DocumentRow(1, 1, 1, 0)),
        ("pro_antecedents", AntecedentRow(1, 1, 2, 1, 1, 0, 2, 10**15, "bicycle", 3, 0)),
        ("pro_antecedents", AntecedentRow(1, 1, 2, 1, 1, 0, 3, 2, "bicycle", 3, 0)),
    ],
)
def test_rows_with_dangling_references_are_refused(
    loaded: LoadedSuite, table: str, row: tuple[object, ...]
) -> None:
    database = to_protest(loaded)._replace(**OWN_TABLES)
    changed = database._replace(**{table: (row, *getattr(database, table)[1:])})
    with pytest.raises(InputError, match="refers to a missing entry"):
        from_protest(changed, EN_FR, path="suite.db")
