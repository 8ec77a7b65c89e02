"""What looks wrong with texts is said before they are scored, and nothing is said of real systems."""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor import demo
from anaphor.core import InputWarning, LanguagePair, Settings
from anaphor.corpus import Inputs, read_inputs
from anaphor.corpus.plausibility import link_warnings, text_warnings
from anaphor.corpus.text import Text, read_text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.languages import load_pair
from tests.support.counting import calls

EN_FR = LanguagePair.parse("en-fr")
Unpack = Callable[[str], Path]

#: German for a text of some length; written for this test.
GERMAN = "Der Leuchtturm steht auf dem Felsen, und das Licht ist in der Nacht nicht zu sehen. Es ist aus."
RUSSIAN = "Маяк стоит на скале, и его свет не виден ночью."


@pytest.fixture(scope="module")
def texts() -> Inputs:
    return read_inputs(demo.files(), EN_FR)


def of(lines: Sequence[str]) -> Text:
    return Text.of(lines, path="changed")


def tokenized(lines: Sequence[str]) -> Text:
    return of([re.sub(r"([.,])", r" \1", line) for line in lines])


def candidate(texts: Inputs, text: Text) -> Inputs:
    return replace(texts, candidates={"x": text})


DEFECTS: dict[str, tuple[Callable[[Inputs], Inputs], list[str]]] = {
    "nothing": (lambda t: t, []),
    "equals the source": (lambda t: candidate(t, t.source), ["candidate x: equals the source"]),
    "partly untranslated": (
        lambda t: candidate(t, of([*t.source.lines[:40], *t.references[0].lines[40:]])),
        ["candidate x: 40 of 114 lines of some length equal the source"],
    ),
    "blank": (
        lambda t: candidate(t, of([""] * t.segments)),
        ["candidate x: blank lines: 115 of 115, the first is line 1"],
    ),
    "one blank line": (
        lambda t: candidate(t, of([*t.candidates["baldur"].lines[:-1], " "])),
        ["candidate x: blank lines: 1 of 115, the first is line 115"],
    ),
    "another language": (
        lambda t: candidate(t, of([GERMAN] * t.segments)),
        ["candidate x: looks like German, but the pair says French"],
    ),
    "another script": (
        lambda t: candidate(t, of([RUSSIAN] * t.segments)),
        ["candidate x: is written in Cyrillic script, but the pack of French says Latin"],
    ),
    "source and reference exchanged": (
        lambda t: replace(t, source=t.references[0], references=(t.source,)),
        [
            "source: looks like French, but the pair says English",
            "reference: looks like English, but the pair says French",
        ],
    ),
    "tokenized beside raw": (
        lambda t: candidate(t, tokenized(t.candidates["baldur"].lines)),
        ["candidate x: looks tokenized, and reference looks raw"],
    ),
    "raw beside tokenized": (
        lambda t: replace(
            t,
            references=(tokenized(t.references[0].lines),),
            candidates={"x": t.candidates["baldur"]},
        ),
        ["candidate x: looks raw, and reference looks tokenized"],
    ),
    "two equal candidates": (
        lambda t: replace(t, candidates={**t.candidates, "copy": t.candidates["baldur"]}),
        ["candidate copy: equals candidate baldur"],
    ),
    "the reference as a candidate, which may be meant": (lambda t: candidate(t, t.references[0]), []),
    "scattered documents": (
        lambda t: replace(t, documents=("a", "b", "a", *["c"] * (t.segments - 3))),
        [
            "documents: 1 of 3 are scattered, first a (from line 1 and again from line 3); "
            "sentences are read in the order of the file"
        ],
    ),
}


@pytest.mark.parametrize(("change", "expected"), DEFECTS.values(), ids=DEFECTS)
def test_a_planted_defect_is_named_and_nothing_else(
    texts: Inputs, change: Callable[[Inputs], Inputs], expected: list[str]
) -> None:
    assert list(text_warnings(change(texts), load_pair(EN_FR), tokenized=False)) == expected


def test_raw_text_that_is_called_tokenized_is_named(texts: Inputs) -> None:
    notes = list(
        text_warnings(candidate(texts, texts.candidates["baldur"]), load_pair(EN_FR), tokenized=True)
    )
    assert [note.partition(": looks raw")[0] for note in notes] == ["reference", "candidate x", "source"]
    assert all("--tokenized" in note for note in notes)


def test_a_doubt_is_a_warning_and_stands_in_the_result_which_is_scored_all_the_same(texts: Inputs) -> None:
    inputs = candidate(texts, of([""] * texts.segments))
    with pytest.warns(InputWarning, match="blank lines: 115 of 115"):
        result = evaluate_experiment(
            Experiment.of(inputs, Settings(pair="en-fr", metrics=("apt",), samples=0))
        )
    assert result.notes == ("candidate x: blank lines: 115 of 115, the first is line 1",)
    assert result.systems[0].scores[0].value == 0


@pytest.mark.parametrize(
    ("apart", "looks"), [(0, "raw"), (2, "raw"), (3, None), (5, None), (7, None), (8, None), (10, None)]
)
def test_a_text_looks_raw_if_most_of_its_stops_stand_with_a_word(apart: int, looks: str | None) -> None:
    """Of ten full stops, so many stand alone; between a fifth and four fifths nothing is said."""
    lines = ["Il pleut ." if number < apart else "Il pleut." for number in range(10)]
    inputs = Inputs(of(["It rains ."] * 10), (), {"a": of(lines)})
    notes = [one for one in text_warnings(inputs, load_pair(EN_FR), tokenized=True) if "looks raw" in one]
    assert bool(notes) == (looks == "raw")


def link_notes(inputs: Inputs) -> list[str]:
    bare = replace(inputs, reference_alignments=None, candidate_alignments=None)
    experiment = Experiment.of(bare, Settings(pair="en-fr")).aligned()
    return list(
        link_warnings(experiment.inputs, source=experiment.source.words, target=experiment.target.words)
    )


def shuffled(text: Text) -> Text:
    return of(random.Random(1).sample(text.lines, len(text)))


def test_shuffled_lines_are_no_translation_beside_real_systems_and_alone(texts: Inputs) -> None:
    """One of the real systems, dahlia, translates word by word."""
    mixed = {name: shuffled(texts.candidates[name]) for name in ("baldur", "dahlia")}
    among = replace(texts, candidates={**texts.candidates, **{f"mixed {k}": v for k, v in mixed.items()}})
    notes = link_notes(among)
    assert [note.partition(":")[0] for note in notes] == ["candidate mixed baldur", "candidate mixed dahlia"]
    assert all(
        re.search(r"does not look like a translation .* only \d\d % of its words", one) for one in notes
    )
    for text in mixed.values():
        assert len(link_notes(candidate(texts, text))) == 1


def test_lines_that_are_shifted_or_of_another_text_are_no_translation(texts: Inputs) -> None:
    lines = texts.candidates["baldur"].lines
    assert len(link_notes(candidate(texts, of([*lines[1:], lines[0]])))) == 1
    other = "Le conseil municipal vote le budget des écoles , puis le maire salue les ouvriers ."
    assert len(link_notes(candidate(texts, of([other] * texts.segments)))) == 1


def test_a_translation_that_is_cut_off_remains_one(texts: Inputs) -> None:
    """Half of the source's words have no link then, and most of the candidate's have one."""
    halves = [
        " ".join(line.split()[: len(line.split()) // 2 + 1]) for line in texts.candidates["baldur"].lines
    ]
    assert link_notes(candidate(texts, of(halves))) == []
    blank = [line if number % 3 else "" for number, line in enumerate(texts.candidates["baldur"].lines)]
    assert link_notes(candidate(texts, of(blank))) == []


def test_of_a_few_lines_nothing_is_said(texts: Inputs) -> None:
    few = replace(
        texts,
        source=of(texts.source.lines[:8]),
        references=(),
        documents=None,
        candidates={"x": of(texts.candidates["baldur"].lines[20:28])},
    )
    assert link_notes(few) == []


def test_a_text_that_is_no_translation_is_named_before_it_is_scored(texts: Inputs) -> None:
    steps: list[str] = []

    def warned(message: Warning | str, *_: object, **__: object) -> None:
        steps.append(str(message))

    inputs = candidate(texts, shuffled(texts.candidates["baldur"]))
    with patch("anaphor.evaluation.pipeline.warnings.warn", warned):
        result = evaluate_experiment(
            Experiment.of(inputs, Settings(pair="en-fr", metrics=("apt",), samples=0)), steps.append
        )
    (note,) = result.notes
    assert steps.index(note) < steps.index("scoring with apt")


def test_real_systems_raise_no_false_alarm(data_dir: Path, unpacked: Unpack) -> None:
    """57 systems of 2021, 10 of 2024, an SMT system and three of TED; one line of Aya23 is blank indeed."""
    found: list[str] = []
    systems = 0

    def look(
        pair: str, source: Path, references: Sequence[Path], candidates: Sequence[Path], **more: bool
    ) -> None:
        nonlocal systems
        source_language, _, target = pair.partition("-")
        # fr-de and de-fr have no pack: languages alone matter here.
        pack = load_pair(LanguagePair.parse(f"en-{target}" if target != "en" else pair))
        other = load_pair(LanguagePair.parse(f"{source_language}-en" if source_language != "en" else pair))
        pack = replace(pack, source=other.source, source_pronouns=other.source_pronouns)
        named = {path.name: read_text(path) for path in candidates}
        inputs = Inputs(read_text(source), tuple(map(read_text, references)), named)
        found.extend(text_warnings(inputs, pack, tokenized=more.get("tokenized", False)))
        systems += len(named)

    news = unpacked("wmt21-news") / "txt"
    for pair in ("en-de", "de-en", "fr-de", "de-fr"):
        files = {
            folder: sorted((news / folder).glob(f"*.{pair}.*"))
            for folder in ("sources", "references", "system-outputs")
        }
        look(pair, files["sources"][0], files["references"], files["system-outputs"])
    latest = unpacked("wmt24-en-de")
    look(
        "en-de",
        latest / "sources/en-de.txt",
        sorted((latest / "references").iterdir()),
        sorted((latest / "system-outputs").iterdir()),
    )
    older = data_dir / "news-en-fr-autoprf"
    look("en-fr", older / "pronoun-test.tok.en", [older / "pronoun-test.tok.fr"], [older / "mt-output.fr"])
    talks = data_dir / "apt-ted-es-en"
    look(
        "es-en",
        talks / "IWSLT14.TED.tst.tc.es",
        [talks / "IWSLT14.TED.tst.tc.en"],
        sorted(talks.glob("TED_*.en")),
        tokenized=True,
    )
    assert systems == 71
    assert found == ["candidate Aya23.txt: blank lines: 1 of 998, the first is line 579"]


def test_looking_costs_little_beside_scoring(texts: Inputs) -> None:
    pack = load_pair(EN_FR)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InputWarning)
        scoring = calls(lambda: evaluate_experiment(Experiment.of(texts, Settings(pair="en-fr"))))
    looking = calls(lambda: list(text_warnings(texts, pack, tokenized=False)))
    assert looking < 0.2 * scoring, "an eighth is usual, and a twentieth of the time"


lines_with_space = st.lists(
    st.tuples(
        *[
            st.sampled_from(
                ["", "a b c d", " a b c d\x1c", "\u00a0a b c d", "é", "a b c d\u2003", "\u00a0", "\r"]
            )
        ]
        * 2
    ),
    min_size=1,
    max_size=30,
)


@given(lines_with_space)
def test_the_same_is_said_of_copies_and_blank_lines_without_the_extension(
    lines: list[tuple[str, str]],
) -> None:
    source, other = (of([line[side] for line in lines]) for side in (0, 1))
    pack = load_pair(EN_FR)
    found = list(text_warnings(Inputs(source, (), {"x": other}), pack, tokenized=True))
    with patch("anaphor.corpus.plausibility.native", None):
        assert list(text_warnings(Inputs(source, (), {"x": other}), pack, tokenized=True)) == found
    blank = [number for number, (one, two) in enumerate(lines, start=1) if one.strip() and not two.strip()]
    said = (
        f"candidate x: blank lines: {len(blank)} of {len(lines)}, the first is line {blank[0]}"
        if blank
        else ""
    )
    assert [line for line in found if "blank" in line] == [said] * bool(blank)
