"""Quality notes: what in an output is not a translation. All documents are invented."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair
from anaphor.segment.notes import NoteKind, find_notes, scored_text

SOURCE = {
    "en": ["The lamp is old.", "It still works, and nobody wants to replace it."],
    "de": ["Die Lampe ist alt.", "Sie funktioniert noch, und niemand will sie ersetzen."],
    "fr": ["La lampe est vieille.", "Elle marche encore, et personne ne veut la remplacer."],
    "es": ["La lámpara es vieja.", "Todavía funciona, y nadie quiere cambiarla."],
    "it": ["La lampada è vecchia.", "Funziona ancora, e nessuno vuole cambiarla."],
    "pt": ["A lâmpada é velha.", "Ainda funciona, e ninguém quer trocá-la."],
    "ru": ["Лампа старая.", "Она ещё работает, и никто не хочет её менять."],
    "uk": ["Лампа стара.", "Вона ще працює, і ніхто не хоче її міняти."],
    "pl": ["Lampa jest stara.", "Jeszcze działa i nikt nie chce jej wymienić."],
    "cs": ["Lampa je stará.", "Ještě funguje a nikdo ji nechce vyměnit."],
    "nl": ["De lamp is oud.", "Hij doet het nog, en niemand wil hem vervangen."],
}
TEXT = {code: " ".join(lines) for code, lines in SOURCE.items()}


def notes(
    text: str, source: str = "en", target: str = "de", given: list[str] | None = None
) -> list[tuple[str, str]]:
    pair = LanguagePair(source, target)
    found = find_notes(SOURCE[source] if given is None else given, text, pair)
    for note in found:  # offsets, quotes and confidences are true of every note
        quote = " ".join(text[note.span.start : note.span.end].split())
        assert quote == note.quote or quote.startswith(note.quote.removesuffix("…"))
        assert 0 < note.confidence <= 1
        assert all(note.span.start <= one.start < one.end <= note.span.end for one in note.removed)
    return [(note.kind.value, note.quote) for note in found]


@pytest.mark.parametrize("pair", [f"en-{code}" for code in SOURCE if code != "en"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_translation_alone_has_no_notes(pair: str, turned: bool) -> None:
    source, target = reversed(pair.split("-")) if turned else pair.split("-")
    assert notes(TEXT[target], source, target) == []


@pytest.mark.parametrize(
    ("target", "opening"),
    [
        ("de", "Here is the translation:"),
        ("de", "Sure! Here's the German translation:"),
        ("de", "Hier ist die Übersetzung ins Deutsche:"),
        ("de", "Natürlich, hier ist die deutsche Übersetzung:"),
        ("fr", "Bien sûr, voici la traduction en français :"),
        ("fr", "Voici la traduction :"),
        ("es", "Claro, aquí tienes la traducción al español:"),
        ("es", "Certainly! Below is the translation into Spanish:"),
        ("it", "Certo! Ecco la traduzione in italiano:"),
        ("it", "Sure! Here is the Italian translation:"),
        ("pt", "Claro! Aqui está a tradução para o português:"),
        ("pt", "Certainly! Below is the translation into Portuguese:"),
        ("ru", "Конечно! Вот перевод текста на русский язык:"),
        ("uk", "Звичайно! Ось переклад тексту українською:"),
        ("pl", "Oczywiście! Oto tłumaczenie na polski:"),
        ("cs", "Samozřejmě! Zde je překlad do češtiny:"),
        ("nl", "Natuurlijk! Hier is de vertaling in het Nederlands:"),
        ("uk", "Sure! Here is the Ukrainian translation:"),
    ],
)
@pytest.mark.parametrize("between", ["\n\n", " "])
def test_chatter_before_a_translation_is_taken_out(target: str, opening: str, between: str) -> None:
    text = f"{opening}{between}{TEXT[target]}"
    assert notes(text, "en", target) == [("chatter", opening)]
    kept = scored_text(text, find_notes(SOURCE["en"], text, LanguagePair("en", target)))
    assert len(kept) == len(text)
    assert kept.strip() == TEXT[target]
    assert kept.index(TEXT[target]) == text.index(TEXT[target])


@pytest.mark.parametrize(
    ("target", "closing"),
    [
        ("de", "Note: I've translated the text as requested. Please let me know if you need changes."),
        ("de", "Bitte beachten Sie, dass manche Wörter nicht direkt übersetzt werden können."),
        ("de", "Lassen Sie mich wissen, wenn Sie die Übersetzung in einem anderen Stil möchten."),
        ("fr", "N'hésitez pas à me dire si la traduction vous convient."),
        ("es", "Nota: he traducido el texto de forma literal."),
        ("it", "Nota: ho tradotto il testo in modo letterale."),
        ("it", "Fammi sapere se desideri un'altra traduzione."),
        ("pt", "Observação: traduzi o texto de forma literal."),
        ("pt", "Não hesite em pedir outra tradução."),
        ("ru", "Обратите внимание: я перевёл этот текст дословно."),
        ("uk", "Зверніть увагу: я переклав цей текст дослівно."),
        ("pl", "Uwaga: przetłumaczyłem ten tekst dosłownie."),
        ("cs", "Poznámka: přeložil jsem tento text doslova."),
        ("nl", "Let op: ik heb de tekst letterlijk vertaald."),
    ],
)
def test_chatter_below_a_translation_is_taken_out(target: str, closing: str) -> None:
    text = f"{TEXT[target]}\n\n{closing}"
    assert notes(text, "en", target) == [("chatter", closing)]
    kept = scored_text(text, find_notes(SOURCE["en"], text, LanguagePair("en", target)))
    assert kept.strip() == TEXT[target]


def test_what_the_source_says_itself_is_no_chatter() -> None:
    source = ["Here is the translation:", "The lamp is old.", "Note that I have translated it freely."]
    text = "Hier ist die Übersetzung:\nDie Lampe ist alt.\nBeachten Sie, dass ich frei übersetzt habe."
    assert notes(text, given=source) == []


@pytest.mark.parametrize(
    "refusal",
    [
        "I'm sorry, but I can't translate this text.",
        "Es tut mir leid, aber ich kann diesen Text nicht übersetzen.",
        "As an AI language model, I cannot help with that.",
    ],
)
def test_a_refusal_leaves_nothing_to_score(refusal: str) -> None:
    ((kind, _),) = notes(refusal)
    assert kind == "refusal"
    assert not scored_text(refusal, find_notes(SOURCE["en"], refusal, LanguagePair("en", "de"))).strip()


def test_a_character_that_refuses_is_no_refusal() -> None:
    source = ["“I'm sorry, but I can't help you,” she said."]
    assert notes("„Es tut mir leid, aber ich kann Ihnen nicht helfen“, sagte sie.", given=source) == []


def test_only_the_marks_of_markdown_are_taken_out() -> None:
    text = "```\n## Die Lampe\n\n- **Alt** ist sie.\n- Sie `funktioniert`.\n```"
    assert {kind for kind, _ in notes(text)} == {"markdown"}
    kept = scored_text(text, find_notes(SOURCE["en"], text, LanguagePair("en", "de")))
    assert kept.split() == ["Die", "Lampe", "Alt", "ist", "sie.", "Sie", "funktioniert", "."]


def test_marks_of_the_source_and_hashtags_are_no_markdown() -> None:
    assert notes("- Brot\n- Milch", given=["- bread", "- milk"]) == []
    assert notes("#alt Die Lampe #Licht") == []
    assert notes("- Komm!", given=["Come!"]) == []  # one dash may be dialogue


def test_a_loop_is_cut_to_its_first_round() -> None:
    text = "Die Lampe ist alt. " + "Sie geht noch. " * 5
    ((kind, _),) = notes(text)
    assert kind == "loop"
    kept = scored_text(text, find_notes(SOURCE["en"], text, LanguagePair("en", "de")))
    assert kept.split() == ["Die", "Lampe", "ist", "alt.", "Sie", "geht", "noch."]


def test_what_the_source_repeats_is_no_loop() -> None:
    assert notes("Nein, nein, nein, nein, nein, nein, nein!", given=["No, no, no, no, no, no, no!"]) == []


def test_a_translation_that_begins_again_is_scored_once() -> None:
    first = "Die Lampe ist sehr alt und steht in der"
    again = "Die Lampe ist sehr alt und steht in der Ecke. Sie funktioniert noch, niemand will sie ersetzen."
    text = f"{first}\n\n{again}"
    source = ["The lamp is very old and stands in the corner.", "It still works, nobody wants to replace it."]
    assert notes(text, given=source) == [("restart", first)]
    assert notes(f"{again}\n\n{again}", given=source) == [("restart", again)]


def test_text_in_the_source_language_is_noted_and_stays() -> None:
    text = "Die Lampe ist alt. It still works, and nobody wants to replace it."
    (note,) = find_notes(SOURCE["en"], text, LanguagePair("en", "de"))
    assert (note.kind, note.removed) == (NoteKind.UNTRANSLATED, ())
    assert note.quote == "It still works, and nobody wants to replace it"


def test_a_title_or_a_link_in_the_source_language_is_not_noted() -> None:
    source = ["We saw “Gone With the Wind” on https://the-best-of-the-films.example/it-is-the-one today."]
    text = "Wir sahen „Gone With the Wind“ auf https://the-best-of-the-films.example/it-is-the-one heute."
    assert notes(text, given=source) == []


def test_letters_of_another_script_and_broken_characters_are_noted() -> None:
    found = notes("Die Lampe 是旧的，但是 ist alt. Sie geht noch \ufffd\ufffd.")
    assert found == [("other script", "是旧的，但是"), ("broken characters", "\ufffd\ufffd")]
    assert notes("Alpha heißt α.", given=["Alpha is called α."]) == []


def test_languages_without_phrases_still_know_english_chatter() -> None:
    found = find_notes(
        ["Lampan är gammal."], "Here is the translation:\n\nLampen er gammel.", LanguagePair("sv", "da")
    )
    assert [note.kind for note in found] == [NoteKind.CHATTER]


def test_a_long_note_is_quoted_up_to_a_limit() -> None:
    long = "I'm sorry, but I can't translate this text" + ", because it is far too long" * 20 + "."
    (note,) = find_notes(SOURCE["en"], long, LanguagePair("en", "de"))
    assert note.quote.endswith("…")
    assert len(note.quote) == 160


@pytest.mark.parametrize(
    ("refusal", "sentences", "confidence"),
    [
        ("I'm sorry, but I can't translate this text.", 8, 0.95),
        ("I'm sorry, but I can't help with that.", 8, 0.75),
        ("I'm sorry, but I can't help with that.", 2, 0.95),
    ],
)
def test_a_refusal_is_surer_if_it_names_the_translation_or_is_nearly_all_there_is(
    refusal: str, sentences: int, confidence: float
) -> None:
    text = " ".join([refusal, *["Die Lampe ist alt."] * (sentences - 1)])
    found = find_notes(["The lamp is old."] * sentences, text, LanguagePair("en", "de"))
    assert [one.confidence for one in found if one.kind is NoteKind.REFUSAL] == [confidence]
