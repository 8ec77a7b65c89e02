"""Made errors: what an exchanged pronoun takes with it, and where no error is made. Sentences are our own."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind
from tools.detector.errors import Edit, Words, damaged, dropped, exchanged, verb_changed

Find = Callable[[str, str, str], tuple[Case, Rendering]]
Maker = Callable[[Case, Rendering, Words, random.Random], Edit | None]

#: Each kind of edit is likely enough to be drawn in so many attempts.
ATTEMPTS = 200


def edits(make: Maker, case: tuple[Case, Rendering], words: Words) -> Iterator[Edit]:
    for seed in range(ATTEMPTS):
        edit = make(*case, words, random.Random(seed))
        if edit is not None:
            yield edit


def texts(make: Maker, case: tuple[Case, Rendering], words: Words, what: str) -> set[str]:
    """The translations with every edit of a kind, as tokens."""
    tokens = case[0].target.tokens
    return {
        " ".join(edit.words.get(n, token) for n, token in enumerate(tokens))
        for edit in edits(make, case, words)
        if edit.what == what
    }


class TestFrenchExchange:
    def test_a_participle_follows_the_gender_and_a_verb_without_a_known_plural_stays_singular(
        self, found: Find
    ) -> None:
        case = found("fr", "I took the lamp. It was broken.", "J'ai pris la lampe. Elle était cassée.")
        words = Words("fr", {"cassé", "cassée"})
        assert texts(exchanged, case, words, "exchanged") == {
            "J' ai pris la lampe . Il était cassé .",
            "J' ai pris la lampe . Cela était cassé .",
        }

    def test_a_verb_follows_the_number(self, found: Find) -> None:
        case = found("fr", "They sing.", "Ils chantent.")
        words = Words("fr", {"chante", "chantent"})
        assert texts(exchanged, case, words, "exchanged") == {
            "Elles chantent .",
            "Il chante .",
            "Elle chante .",
        }

    def test_an_adjective_follows_the_gender(self, found: Find) -> None:
        case = found("fr", "It is small.", "Il est petit.")
        words = Words("fr", {"petit", "petite"})
        made = texts(exchanged, case, words, "exchanged")
        assert "Elle est petite ." in made
        assert "Elle est petit ." not in made


class TestSpanishNullSubjects:
    def test_verb_and_adjective_change_number_together(self, found: Find) -> None:
        case = found("es", "They are very expensive.", "Son muy caros.")
        assert case[1].kind is RenderingKind.NULL_SUBJECT
        assert texts(verb_changed, case, Words("es", ()), "number") == {"Es muy caro ."}

    def test_an_adjective_changes_gender_alone(self, found: Find) -> None:
        case = found("es", "They are broken.", "Están rotos.")
        words = Words("es", {"rotos", "rotas"})
        assert texts(verb_changed, case, words, "adjective") == {"Están rotas ."}

    def test_an_overt_pronoun_has_the_number_of_the_verb(self, found: Find) -> None:
        case = found("es", "I know that it works.", "Sé que no funciona.")
        assert texts(verb_changed, case, Words("es", ()), "overt") == {
            "Sé que él no funciona .",
            "Sé que ella no funciona .",
        }


class TestDropping:
    @pytest.mark.parametrize(
        ("language", "source", "target", "position"),
        [
            ("fr", "It is small.", "Il est petit.", 0),
            ("de", "I see it.", "Ich sehe ihn.", 2),
            ("es", "I bought it.", "Lo compré.", 0),
        ],
    )
    def test_a_pronoun_that_the_language_needs_is_dropped(
        self, found: Find, language: str, source: str, target: str, position: int
    ) -> None:
        made = dropped(*found(language, source, target), Words(language, ()), random.Random(1))
        assert made == Edit("dropped", {position: ""})

    def test_a_spanish_subject_is_not_because_that_is_no_error(self, found: Find) -> None:
        case = found("es", "It is here.", "Ella está aquí.")
        assert case[1].kind is RenderingKind.PRONOUN
        assert dropped(*case, Words("es", ()), random.Random(1)) is None


class TestNothingFits:
    def test_no_plural_is_made_of_an_unknown_verb(self, found: Find) -> None:
        case = found("fr", "It sings.", "Il chante.")
        made = {word for edit in edits(exchanged, case, Words("fr", ())) for word in edit.words.values()}
        assert "Elle" in made
        assert "Ils" not in made

    def test_a_pronoun_without_translation_stays_as_it_is(self, found: Find) -> None:
        case = found("es", "It rains.", "Ja.")
        assert case[1].positions == ()
        assert not list(edits(damaged, case, Words("es", ())))

    def test_a_form_that_nothing_is_confused_with_is_not_exchanged(self, found: Find) -> None:
        case = found("fr", "I saw it.", "Je l'ai vue.")
        assert case[1].form == "l'"
        assert not list(edits(exchanged, case, Words("fr", ())))
