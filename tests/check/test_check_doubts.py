"""What speaks for the translator lowers the confidence of a finding, and is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.check import CheckInput, CheckOptions, check_files
from anaphor.check.checking import DEFAULT_CONFIDENCE, DEFAULT_CONFIDENCES
from anaphor.check.doubts import Doubt
from anaphor.core import LanguagePair

#: Document, source, translation, and the doubt about its only finding; None where it stays.
ROWS = {
    "de": (
        ("The lamp is old. It smells of oil.", "Die Lampe ist alt. Er riecht nach Öl.", None),
        (
            "He bought a lamp from the lady. It shines.",
            "Er kaufte der Dame eine Lampe ab. Er leuchtet.",
            Doubt.OTHER_PRONOUN,
        ),
        (
            "The cup is on the table. It is broken.",
            "Die Tasse steht neben dem Krug. Er ist zerbrochen.",
            Doubt.OTHER_NOUN,
        ),
        (
            "The recipe looks easy. I will give it a try.",
            "Die Anleitung sieht leicht aus. Ich werde es versuchen.",
            Doubt.IDIOM,
        ),
        ("It was owned by a king.", "Sie gehörte einem König.", Doubt.NO_ANTECEDENT),
        (
            "Sorry about the quarantine. It was to protect you.",
            "Die Quarantäne tut mir leid. Es sollte dich schützen.",
            Doubt.PURPOSE,
        ),
        ("The water covers it.", "Das Wasser bedeckt ihn.", Doubt.OWN_SUBJECT),
        (
            "Choose the entry in the menu. It has the same effect as the key.",
            "Wählen Sie den Eintrag im Menü. Sie erzielen denselben Effekt, wenn Sie die Taste drücken.",
            Doubt.ADDRESS,
        ),
        (
            "Look at the air. It became steadily warmer.",
            "Sieh dir die Luft an. Es wurde stetig wärmer.",
            Doubt.IDIOM,
        ),
        (
            "The enemy reaches for the {name}, and it disappears.",
            "Der Gegner greift nach dem {name}, und es verschwindet.",
            Doubt.PLACEHOLDER,
        ),
        ("The lamp is old, and it smells.", "The lamp is old, and it smells.", Doubt.SAME),
    ),
    "fr": (
        ("The lamp is old. It smells of oil.", "La lampe est vieille. Il sent l'huile.", None),
        # It has no antecedent either, but clashes with its verb.
        ("They are similar to the examples.", "Il sont analogues aux exemples.", None),
        (
            "The program APT reads the list. If the option is set, APT says that it stops.",
            "La commande APT lit la liste. Si l'option est mise, APT dit qu'il s'arrête.",
            Doubt.NAME,
        ),
        ("It was owned by a king.", "Elle appartenait à un roi.", Doubt.NO_ANTECEDENT),
        (
            "Oh yeah, those things. Watch out, these are the arms of a creature. They kill you.",
            "Ah oui, ces choses. Attention, ce sont les bras d'une créature. Ils te tuent.",
            Doubt.NEARER_NOUN,
        ),
        (
            "The machine was switched on. It is against the rules that nobody watches.",
            "La machine était allumée. Il est contraire aux règles que personne ne regarde.",
            Doubt.CLAUSE,
        ),
        (
            "Each of the women knows that they are late.",
            "Chacune des femmes sait qu'elle est en retard.",
            Doubt.SINGULAR_THEY,
        ),
    ),
}


@pytest.mark.parametrize("language", ROWS)
def test_doubts_lower_the_confidence_and_are_said(language: str, tmp_path: Path) -> None:
    path = tmp_path / "units.tsv"
    table = [f"{number}\t{source}\t{target}" for number, (source, target, _) in enumerate(ROWS[language])]
    path.write_text("\n".join(["document\tsource\ttarget", *table]) + "\n", encoding="utf-8")
    file = CheckInput(path=str(path), pair=LanguagePair("en", language))
    report = check_files([file], CheckOptions(min_confidence=0.0))
    findings = {finding.source: finding for finding in report.findings}
    for source, _, doubt in ROWS[language]:
        finding = findings[source]
        if doubt is None:
            assert finding.confidence >= DEFAULT_CONFIDENCE, source
            assert "; but " not in finding.reason
        else:
            assert finding.confidence < DEFAULT_CONFIDENCES[finding.kind], source
            assert f"; but {doubt.reason}" in finding.reason


def test_a_pronoun_that_a_subtitle_leaves_out_is_doubted_and_one_of_a_table_is_not(tmp_path: Path) -> None:
    source, target = "The lamp is old, and it smells of oil.", "Die Lampe ist alt."
    cue = "1\n00:00:01,000 --> 00:00:04,000\n"
    (tmp_path / "film.en.srt").write_text(f"{cue}{source}\n", encoding="utf-8")
    (tmp_path / "film.de.srt").write_text(f"{cue}{target}\n", encoding="utf-8")
    (tmp_path / "film.tsv").write_text(f"source\ttarget\n{source}\t{target}\n", encoding="utf-8")
    pair = LanguagePair("en", "de")
    subtitle = CheckInput(path=str(tmp_path / "film.de.srt"), source=str(tmp_path / "film.en.srt"), pair=pair)
    table = CheckInput(path=str(tmp_path / "film.tsv"), pair=pair)
    findings = [
        next(iter(check_files([file], CheckOptions(min_confidence=0.0)).findings))
        for file in (subtitle, table)
    ]
    assert [Doubt.FREE.reason in finding.reason for finding in findings] == [True, False]
    assert findings[0].confidence < findings[1].confidence


def test_errors_are_less_likely_in_files_that_people_translate(tmp_path: Path) -> None:
    source, target = "The lamp is old. It smells of oil.", "Die Lampe ist alt. Er riecht nach Öl."
    (tmp_path / "texts.po").write_text(f'msgid "{source}"\nmsgstr "{target}"\n', encoding="utf-8")
    (tmp_path / "texts.tsv").write_text(f"source\ttarget\n{source}\t{target}\n", encoding="utf-8")
    files = [
        CheckInput(path=str(tmp_path / f"texts.{kind}"), pair=LanguagePair("en", "de"))
        for kind in ("po", "tsv")
    ]
    people, machine = (
        next(iter(check_files([file], CheckOptions(min_confidence=0.0)).findings)) for file in files
    )
    assert people.confidence < DEFAULT_CONFIDENCE <= machine.confidence
