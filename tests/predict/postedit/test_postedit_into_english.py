"""Post-editing into English, from plain text to every output; a scripted predictor makes the decisions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import pytest

from anaphor.core import InputError, LanguagePair, MismatchError, Prediction, Settings, TaskSegment
from anaphor.corpus import Text
from anaphor.evaluation.postediting import PosteditResult, find_postedit_model, postedit
from anaphor.evaluation.predictions import link_candidate
from anaphor.pages.postedit import postedit_page
from anaphor.predict.contract import ModelCard
from anaphor.predict.model_folder import CARD
from anaphor.predict.postedit import find_occurrences
from anaphor.predict.postedit.occurrences import check_language, hide_occurrences
from anaphor.predict.shipped import shipped_models
from anaphor.report.emit import emit
from anaphor.task.classes import task_classes


@dataclass
class Scripted:
    """Gives 0.95 to the class that the script has for the source token of a slot, lower-cased.

    Several classes stand for the occurrences in order; a token that is not in the script gets OTHER.
    """

    card: ModelCard
    script: Mapping[str, str]

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        classes = self.card.classes
        turns = {word: iter(labels.split()) for word, labels in self.script.items()}
        for segment in segments:
            found = []
            for slot in segment.slots:
                label = next(turns.get(segment.source[slot.source].lower(), iter(())), "OTHER")
                row = tuple(0.95 if one == label else 0.05 / (len(classes) - 1) for one in classes)
                found.append(Prediction(label, row))
            yield tuple(found)

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def edited(
    folder: Path, pair: str, source: Sequence[str], candidate: Sequence[str], script: Mapping[str, str]
) -> PosteditResult:
    (folder / CARD).write_text("{}", encoding="utf-8")
    classes = task_classes(LanguagePair.parse(pair)).classes
    card = ModelCard(
        recipe="scripted", family="f", version=1, pair=pair, year=2016, forms=False, classes=classes
    )
    return postedit(
        Scripted(card, script),
        Settings(pair=pair),
        name=str(folder),
        source=Text.of(source, path="source"),
        candidate=Text.of(candidate, path="candidate"),
    )


FRENCH = (
    "La voiture est en panne.",
    "Elle ne démarre plus.",
    "Les clés sont ici.",
    "Elles ouvrent la porte.",
)
BROKEN = (
    "The car has broken down.",
    "She doesn't start any more.",
    "The keys are here.",
    "It opens the door.",
)
GERMAN = ("Der Tisch ist alt.", "Er wackelt, weil er nur drei Beine hat.")
WOBBLES = ("The table is old.", "He wobbles because he only has three legs.")
SPANISH = ("Las llaves están en la mesa.", "Abren la puerta y cuestan mucho.", "Hay tres ventanas rotas.")
KEYS = (
    "The keys are on the table.",
    "It opens the door and it costs a lot.",
    "They are three broken windows.",
)


@pytest.mark.parametrize(
    ("pair", "source", "candidate", "script", "expected"),
    [
        (
            "fr-en",
            FRENCH,
            BROKEN,
            {"elle": "it", "elles": "they"},
            ("It doesn't start any more.", "They open the door."),
        ),
        ("de-en", GERMAN, WOBBLES, {"er": "it it"}, ("It wobbles because it only has three legs.",)),
        (
            "es-en",
            SPANISH,
            KEYS,
            {"abren": "they", "cuestan": "they", "hay": "there"},
            ("They open the door and they cost a lot.", "There are three broken windows."),
        ),
    ],
    ids=["fr-en", "de-en", "es-en"],
)
def test_pronouns_and_verbs_are_edited_and_shown_in_every_form(
    tmp_path: Path,
    pair: str,
    source: Sequence[str],
    candidate: Sequence[str],
    script: Mapping[str, str],
    expected: Sequence[str],
) -> None:
    result = edited(tmp_path, pair, source, candidate, script)
    changed = [new for old, new in zip(candidate, result.lines, strict=True) if old != new]
    assert tuple(changed) == tuple(expected)
    content = json.loads(emit(result, "json"))
    for one in content["proposals"]:
        line, edit = candidate[one["segment"]], one["edit"]
        assert line[edit["start"] : edit["end"]].startswith(one["old"])
        assert edit["text"].startswith(one["new"])
    assert [line[1:] for line in result.diff() if line[0] == "+"][1:] == changed
    table, page = emit(result, "text"), postedit_page(result)
    assert f"{pair}, {len(source)} segments" in table
    assert all(f"+{line}" in table for line in changed)
    assert page.count("<article>") == len(result.proposals.applied)


def test_number_and_gender_stay_consistent_along_a_chain(tmp_path: Path) -> None:
    """Of two pronouns for one noun, both change or none does; a verb that cannot follow keeps both."""
    source = ("Les plantes ont soif.", "Si elles sèchent, elles meurent.")
    candidate = ("The plants are thirsty.", "If it dries out, it dies.")
    both = edited(tmp_path, "fr-en", source, candidate, {"elles": "they they"})
    assert both.lines[1] == "If they dry out, they die."
    one = edited(tmp_path, "fr-en", source, candidate, {"elles": "they"})
    assert one.lines[1] == candidate[1]
    stuck = ("The plants are thirsty.", "If it dries out, it's lost.")
    held = edited(tmp_path, "fr-en", source, stuck, {"elles": "they they"})
    assert held.lines == stuck
    first, second = held.proposals.withheld
    assert "inconsistent with another pronoun" in first.reason
    assert "is or has" in second.reason


def test_coordinated_spanish_verbs_have_one_subject(tmp_path: Path) -> None:
    source, candidate = ("Llegó tarde y no dijo nada.",), ("He arrived late and he said nothing.",)
    assert edited(tmp_path, "es-en", source, candidate, {"llegó": "she"}).lines == candidate
    changed = edited(tmp_path, "es-en", source, candidate, {"llegó": "she", "dijo": "she"})
    assert changed.lines == ("She arrived late and she said nothing.",)


def test_a_spanish_text_without_null_subjects_is_refused() -> None:
    with pytest.raises(InputError, match="no verb without a subject found in 1 segment"):
        link_candidate(
            Settings(pair="es-en"),
            source=Text.of(["La casa es vieja."], path="source"),
            candidate=Text.of(["The house is old."], path="candidate"),
            documents=None,
            links=None,
        )


def test_a_model_of_lemmas_sees_no_verb_form() -> None:
    text = link_candidate(
        Settings(pair="fr-en"),
        source=Text.of(FRENCH, path="source"),
        candidate=Text.of(BROKEN, path="candidate"),
        documents=None,
        links=None,
    )
    segments = list(hide_occurrences(text, find_occurrences(text, year=2016), forms=False))
    assert segments[3].target == ("REPLACE_0", "open|VERB", "the|DET", "door|NOUN", ".|.")


SMALL = {
    "en": ("The chairs are old.", "They were bought by my grandmother.", "I hope it will help you."),
    "fr": ("Les chaises sont vieilles.", "Elles viennent de ma grand-mère.", "J'espère qu'il vous aidera."),
    "de": ("Die Stühle sind alt.", "Sie wurden von meiner Oma gekauft.", "Ich hoffe, dass er dir hilft."),
    "es": (
        "Las sillas son viejas.",
        "Fueron compradas por mi abuela.",
        "Espero que la carta del banco te ayude.",
    ),
}
PAIRS = ("en-fr", "en-de", "fr-en", "de-en", "es-en")


@pytest.mark.parametrize(("true", "named"), list(permutations(PAIRS, 2)))
def test_a_wrong_pair_is_refused(true: str, named: str) -> None:
    """All twenty, before a model or an aligner is asked."""
    texts = LanguagePair.parse(true)
    source, candidate = (Text.of(SMALL[code], path=code) for code in (texts.source, texts.target))
    check_language(source.lines, texts, texts.source, path="source")
    check_language(candidate.lines, texts, texts.target, path="candidate")
    card = ModelCard(recipe="r", family="f", version=1, pair=named, year=2016, forms=False, classes=())
    with pytest.raises(MismatchError, match=f"looks like .* {named} says"):
        postedit(Scripted(card, {}), Settings(pair=named), name="r", source=source, candidate=candidate)


def test_a_text_too_short_to_tell_passes() -> None:
    check_language(["OK.", "Berlin 2024", ""], LanguagePair("fr", "en"), "en", path="text")


@pytest.mark.parametrize(
    ("pair", "source", "candidate"),
    [("fr-en", FRENCH, BROKEN), ("de-en", GERMAN, WOBBLES), ("es-en", SPANISH, KEYS)],
)
def test_the_shipped_model_answers_for_every_pair(
    pair: str, source: Sequence[str], candidate: Sequence[str]
) -> None:
    """What it chooses is its own business; that it is asked, and how it answers, is not."""
    name = "anaphor-2-small"
    assert name in shipped_models()
    result = postedit(
        find_postedit_model(name, pair=pair),
        Settings(pair=pair),
        name=name,
        source=Text.of(source, path="source"),
        candidate=Text.of(candidate, path="candidate"),
        threshold=0.3,
    )
    assert result.pronouns >= 2
    assert len(result.lines) == len(candidate)
    made, held = result.proposals.applied, result.proposals.withheld
    for prediction in [one.prediction for one in made] + [one.prediction for one in held]:
        assert sum(prediction.probabilities.values()) == pytest.approx(1, abs=1e-4)
    assert str(result.signature).startswith(f"postedit|model:{name}|hash:")
