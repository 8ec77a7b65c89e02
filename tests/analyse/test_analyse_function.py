"""The function of *it*: features, the file of weights, clear cases, and the talks of DiscoMT."""

from __future__ import annotations

import json
import sys
import tarfile
from bisect import bisect_right
from pathlib import Path

import numpy as np
import pytest

from anaphor.analyse import load_analyser
from anaphor.analyse.function import (
    FUNCTIONS,
    AnalysedSentence,
    FunctionClassifier,
    ItPosition,
    MaxentModel,
    features_of,
    read_maxent,
    write_maxent,
)
from anaphor.core import Analysis, InputError
from anaphor.core.learned import learned_folder
from anaphor.corpus.mmax2 import read_mmax2
from anaphor.languages import Tokenizer, load_language
from anaphor.suite.build.mmax2 import annotated_pronouns


def sentence(tagged: str, subjects: frozenset[int] = frozenset()) -> AnalysedSentence:
    """A sentence from `word/TAG` or `word/lemma/TAG`."""
    cells = [cell.split("/") for cell in tagged.split()]
    tags = tuple(cell[-1] for cell in cells)
    return AnalysedSentence(
        tuple(cell[0] for cell in cells), Analysis(tuple(cell[-2].lower() for cell in cells), tags, subjects)
    )


IMPORTANT = sentence(
    "It/PRON is/be/AUX not/PART important/ADJ to/PART win/VERB ./PUNCT", subjects=frozenset({0})
)
FIND = sentence("We/PRON find/VERB it/PRON odd/ADJ that/SCONJ he/PRON left/leave/VERB", frozenset({0}))
DOG = sentence("The/DET dog/NOUN barks/bark/VERB and/CCONJ it/PRON runs/run/VERB", frozenset({1, 4}))


@pytest.mark.parametrize(
    ("found", "position", "expected"),
    [
        (IMPORTANT, 0, {"subject=True", "first=True", "verb=be_True", "said=important", "said.then=ADJ_to"}),
        (IMPORTANT, 0, {"clause=to", "clause.after=ADJ_to_True", "infinitive=True", "word-1=-"}),
        (FIND, 2, {"subject=False", "governor=find_VERB", "judged=True_ADJ", "clause.after=ADJ_that_False"}),
        (DOG, 4, {"nouns=1", "noun.away=near", "noun.subject=True", "verb=run_True", "previous=none"}),
    ],
)
def test_features_name_what_stands_around_the_pronoun(
    found: AnalysedSentence, position: int, expected: set[str]
) -> None:
    assert expected <= set(features_of(found, position, None))


@pytest.mark.parametrize(
    ("spelling", "its"), [("it", 1), ("IT", 1), ("Its", 1), ("ITſ", 1), ("item", 0), ("ıt", 0)]
)
def test_an_it_before_counts_in_any_case(spelling: str, its: int) -> None:
    found = sentence(f"{spelling}/PRON and/CCONJ it/PRON")
    assert f"its={its}" in features_of(found, 2, None)


def nouns_before(count: int) -> AnalysedSentence:
    """A noun, words, and *it* so many places after the noun."""
    return sentence("dog/NOUN " + "so/ADV " * (count - 1) + "it/PRON is/be/AUX")


@pytest.mark.parametrize(
    ("away", "name"), [(1, "near"), (3, "near"), (4, "middle"), (8, "middle"), (9, "far"), (12, "far")]
)
def test_the_distance_of_the_last_noun_has_three_buckets(away: int, name: str) -> None:
    assert f"noun.away={name}" in features_of(nouns_before(away), away, None)


@pytest.mark.parametrize(("position", "share"), [(0, 0), (1, 0), (2, 1), (3, 1), (4, 2), (6, 3), (7, 3)])
def test_the_place_in_the_sentence_is_given_in_quarters(position: int, share: int) -> None:
    words = ["so/ADV"] * 8
    words[position] = "it/PRON"
    assert f"share={share}" in features_of(sentence(" ".join(words)), position, None)


def test_more_than_two_its_before_are_two() -> None:
    assert "its=2" in features_of(sentence("it/PRON " * 4), 3, None)


@pytest.mark.parametrize(("mark", "found"), [(",", True), (".", False), ("?", False), (";", False)])
def test_a_clause_is_looked_for_up_to_the_end_of_the_sentence(mark: str, found: bool) -> None:
    features = features_of(sentence(f"it/PRON is/be/AUX odd/ADJ {mark}/PUNCT that/SCONJ he/PRON"), 0, None)
    assert ("clause=that" in features) is found


@pytest.mark.parametrize(("between", "verb"), [(4, "verb=run_True"), (5, "verb=none")])
def test_the_verb_of_a_subject_is_at_most_five_words_away(between: int, verb: str) -> None:
    words = "it/PRON " + "so/ADV " * between + "runs/run/VERB"
    assert verb in features_of(sentence(words, frozenset({0})), 0, None)


def test_no_other_characters_fold_to_those_of_it_and_its() -> None:
    """The features look words up as they are spelt, so they must know every character that folds to one."""
    folding = {char for char in map(chr, range(sys.maxunicode + 1)) if char.casefold() in {"i", "t", "s"}}
    assert folding == set("iItTsSſ")


def test_a_feature_is_there_once() -> None:
    twice = sentence("It/PRON wants/want/VERB to/PART go/VERB to/PART bed/NOUN", frozenset({0}))
    features = features_of(twice, 0, None)
    assert len(features) == len(set(features))
    assert [name for name in features if name.startswith("clause=")] == ["clause=to"]


def test_the_sentence_before_gives_features_too() -> None:
    features = set(features_of(IMPORTANT, 0, DOG))
    assert {"previous.nouns=1", "previous.end=runs", "previous.it=True"} <= features
    assert len(features) == len(features_of(IMPORTANT, 0, DOG))


MODEL = MaxentModel(("a", "b"), (0.0, 0.5), {"x": (1.0, -1.0), 'y"é': (0.0, 0.25)})


def test_probabilities_are_those_of_the_exponential_model() -> None:
    """By hand: scores 1 and -0.5, so a has 1 / (1 + exp(-1.5)) = 0.8176."""
    assert MODEL.probabilities([["x", "unknown"]])[0] == pytest.approx([0.8176, 0.1824], abs=1e-4)


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_maxent(tmp_path / "m.json", MODEL)
    found = read_maxent(tmp_path / "m.json")
    assert (found.labels, found.bias, found.weights) == (MODEL.labels, MODEL.bias, MODEL.weights)
    assert found.digest() == MODEL.digest()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": "other", "labels": ["a", "b"], "bias": [0, 0], "weights": {}}',
        '{"format": "anaphor-maxent/1", "labels": ["a", "b"], "bias": [0], "weights": {}}',
        '{"format": "anaphor-maxent/1", "labels": ["a", "b"], "bias": [0, NaN], "weights": {}}',
        '{"format": "anaphor-maxent/1", "labels": ["a"], "bias": [0], "weights": {}}',
        '{"format": "anaphor-maxent/1", "labels": ["a", "b"], "bias": [0, 0], "weights": {"x": [1]}}',
        '{"format": "anaphor-maxent/1", "labels": ["a", "b"], "bias": [0, 0], "weights": [1]}',
    ],
)
def test_a_file_that_is_no_model_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not a classifier") as error:
        read_maxent(path)
    assert error.value.where.path == str(path)


def analysed(lines: list[str]) -> list[AnalysedSentence]:
    cut = Tokenizer(load_language("en"))
    tokens = [cut(line).tokens for line in lines]
    found = load_analyser("built-in", language="en").analyse(tokens)
    return [AnalysedSentence(*pair) for pair in zip(tokens, found, strict=True)]


@pytest.mark.parametrize(
    ("before", "line", "function"),
    [
        ("We were tired.", "It is important to sleep.", "pleonastic"),
        ("We talked.", "It is clear that nobody knows.", "pleonastic"),
        ("She bought a machine.", "She put it on the table.", "anaphoric"),
        ("The committee met.", "Its members said that it wants more money.", "anaphoric"),
    ],
)
def test_clear_cases_are_distinguished(before: str, line: str, function: str) -> None:
    """The labels are those that any speaker gives."""
    sentences = analysed([before, line])
    position = [token.lower() for token in sentences[1].tokens].index("it")
    guess = FunctionClassifier.built_in().guess(sentences, 1, position)
    assert guess.function == function
    assert 1 / 3 < guess.probability <= 1


def test_many_guesses_at_once_are_those_of_each() -> None:
    classifier = FunctionClassifier.built_in()
    document = [DOG, IMPORTANT, FIND]
    places = [ItPosition(IMPORTANT, 0, DOG), ItPosition(FIND, 2, IMPORTANT), ItPosition(DOG, 4, None)]
    one_by_one = [classifier.guess(document, *place) for place in ((1, 0), (2, 2), (0, 4))]
    assert classifier.guess_all(places) == one_by_one
    assert classifier.guess_all([]) == []


def test_the_file_that_ships_is_small_and_has_the_three_functions() -> None:
    file = learned_folder("analyse/models/function-of-it") / "weights.en.json"
    assert file.stat().st_size < 200_000
    assert tuple(json.loads(file.read_text("utf-8"))["labels"]) == FUNCTIONS


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::anaphor.core.InputWarning")
def test_accuracy_on_talks_that_were_never_learned_from(data_dir: Path, tmp_path: Path) -> None:
    """docs/suites/function-of-it.md: DiscoMT EN of ParCorFull, 668 pronouns, accuracy 0.708."""
    with tarfile.open(data_dir / "parcorfull" / "parcor-full-corpus.tar.gz") as archive:
        members = [one for one in archive.getmembers() if one.name.startswith("corpus/DiscoMT/EN/")]
        archive.extractall(tmp_path, members=members, filter="data")
    classifier, cut, right = FunctionClassifier.built_in(), Tokenizer(load_language("en")), []
    for document in read_mmax2(tmp_path / "corpus" / "DiscoMT" / "EN"):
        lines = [" ".join(document.words[slice(*span)]) for span in document.sentences]
        sentences = analysed(lines)
        starts = [span.start for span in document.sentences]
        for one in annotated_pronouns(document):
            if one.features["form"] == "it" and one.features["function"] in FUNCTIONS:
                word = one.markable.words[0]
                segment = bisect_right(starts, word) - 1
                place = sum(len(token) + 1 for token in document.words[starts[segment] : word])
                guess = classifier.guess(sentences, segment, cut(lines[segment]).starts.index(place))
                right.append(guess.function == one.features["function"])
    assert len(right) == 668
    assert np.mean(right) == pytest.approx(0.708, abs=0.01)
