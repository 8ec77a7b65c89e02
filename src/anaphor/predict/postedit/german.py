"""German pronouns: nothing around them changes, and a capital is for the beginning of a sentence."""

from __future__ import annotations

from anaphor.languages import fold
from anaphor.predict.postedit.nouns import Edit, Occurrence
from anaphor.predict.postedit.spelling import CannotStand, begins_sentence, in_case_of

#: es gibt: there is.
_IMPERSONAL = frozenset(["gibt", "gab", "gäbe", "gebe"])


class German:
    """Knows how er, sie, es and man are written."""

    def write(self, occurrence: Occurrence, label: str, *, tokenised: bool) -> tuple[Edit, str]:  # noqa: ARG002
        """The word alone is replaced."""
        old, sentence, token = occurrence.word, occurrence.sentence, occurrence.token
        if fold(old) != occurrence.label:
            raise CannotStand(f"{old} is part of another word")
        around = sentence.tokens[max(0, token - 1) : token + 2]
        if occurrence.label == "es" and _IMPERSONAL & set(map(fold, around)):
            raise CannotStand("es gibt has no other subject")
        new = in_case_of(old, label) if begins_sentence(sentence, token) else label
        return Edit(occurrence.span, new), new
