"""Two witnesses that examine how the pronoun is rendered, and whether its clause was translated at all."""

from __future__ import annotations

from anaphor.antecedents import TargetLanguage
from anaphor.verdict.contract import Testimony
from anaphor.verdict.document import Case
from anaphor.verdict.numbers import numbers_of
from anaphor.verdict.rendering import (
    Rendering,
    RenderingKind,
    governor,
    lacks_subject,
    source_verbs,
    surroundings_of,
)

#: From this share of unlinked content words on, a reason calls the clause lost.
_LOST = 0.5


class RenderingWitness:
    """Examines what kind of word renders the pronoun; if none does, whether the language needs one there."""

    name = "rendering"

    def __init__(self, source: TargetLanguage | None = None) -> None:
        """`source` is the language of the source, if its forms are known."""
        self._numbers = numbers_of(source)

    def testify(self, case: Case, rendering: Rendering) -> Testimony:
        """The kinds of the rendering and of its form as one signal each; zero signals are left out."""
        kind, form = rendering.kind, rendering.form
        facts = case.document.language.facts
        is_pronoun, nothing = kind is RenderingKind.PRONOUN, kind is RenderingKind.NOTHING
        depends_on, verb = ("subject", None) if case.is_subject else governor(case)
        signals = {
            "fallback": float(is_pronoun and form in facts.fallback),
            "demonstrative": float(is_pronoun and form in facts.demonstrative),
            "impersonal": float(form in facts.impersonal),
            "overt_subject": float(case.is_subject and is_pronoun and form in facts.overt),
            "null_subject": float(kind is RenderingKind.NULL_SUBJECT),
            "noun": float(kind is RenderingKind.NOUN),
            "adverb": float(kind is RenderingKind.ADVERB),
            "other": float(kind is RenderingKind.OTHER),
            "untranslated": float(kind is RenderingKind.UNTRANSLATED),
            "nothing": float(nothing),
            "no_subject": float(nothing and case.is_subject),
            "bare_verb": float(
                nothing and case.is_subject and not facts.null_subjects and lacks_subject(case)
            ),
            "no_object": float(
                nothing and depends_on == "verb" and verb in case.links and not facts.null_objects
            ),
            "no_complement": float(nothing and depends_on == "preposition"),
            "plural": float(self._numbers.get(case.pair.source.form) == "p"),
            "object": float(not case.is_subject),
        }
        telling = {name: value for name, value in signals.items() if value}
        stands_alone = form in facts.demonstrative or form in facts.impersonal
        return Testimony(telling, *_clauses(case, rendering), checkable=stands_alone or not is_pronoun)


def _clauses(case: Case, rendering: Rendering) -> tuple[str, str]:
    """Why a rendering of this kind may or may not be acceptable."""
    source, form = f"*{case.pair.source.form}*", rendering.form
    facts = case.document.language.facts
    match rendering.kind:
        case RenderingKind.NOTHING:
            role = "subject" if case.is_subject else "object"
            may = facts.null_subjects if case.is_subject else facts.null_objects
            rest = f"; the {role} may be left out" if may else ", which a translation can do without"
            return f"no word is linked to {source}{rest}", f"no word is linked to {source}, the {role}"
        case RenderingKind.UNTRANSLATED:
            return "", f"{source} is left in the source language"
        case RenderingKind.NOUN:
            return f"the noun *{form}* stands for {source}", f"the noun *{form}* stands for {source}"
        case RenderingKind.ADVERB:
            return f"*{form}* stands for {source} and its preposition", ""
        case RenderingKind.NULL_SUBJECT:
            return (
                f"the verb *{form}* carries the subject",
                f"the verb *{form}* is not the one that {source} needs",
            )
        case RenderingKind.OTHER:
            return f"{source} is rendered by *{form}*", f"{source} is rendered by *{form}*"
    if form in case.document.language.people:
        return f"*{form}* stands for people in general", ""
    if form in facts.demonstrative or form in facts.impersonal:
        return f"*{form}* can stand for nearly anything", ""
    return "", f"systems often fall back on *{form}*" if form in facts.fallback else ""


class CoverageWitness:
    """Examines whether the words around the pronoun were translated, or its clause is lost, cut or left in
    English.
    """

    name = "coverage"

    def testify(self, case: Case, rendering: Rendering) -> Testimony:
        """What is missing around the pronoun."""
        around = surroundings_of(case)
        nothing = float(rendering.kind is RenderingKind.NOTHING)
        verb_kept = any(verb in case.links for verb in source_verbs(case))
        signals = {
            "unlinked": around.unlinked,
            "unlinked_after": around.after,
            "cut": around.cut,
            "english": min(1.0, 4 * around.english),
            "lost": nothing * around.unlinked,
            "lost_after": nothing * around.after,
            "verb_kept": nothing * verb_kept,
        }
        rejects = ""
        if around.english > 0.1:
            rejects = "much of the segment is left in English"
        elif around.cut > 0.3:
            rejects = "the segment is cut short"
        elif max(around.unlinked, around.after * nothing) >= _LOST:
            rejects = "the clause around it has no translation"
        return Testimony(signals, rejects=rejects)
