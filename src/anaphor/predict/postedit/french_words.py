"""Closed classes of French words that decide how a subject pronoun is written, all folded."""

from __future__ import annotations


def _set(*lines: str) -> frozenset[str]:
    """The parts between commas."""
    return frozenset(word for line in lines for word in line.split(", "))


PERSONAL = _set("il, elle, ils, elles")

#: Words that lose their vowel before il, elle, ils, elles and on; si does before il and ils alone.
ELIDED = {"que": "qu'", "lorsque": "lorsqu'", "puisque": "puisqu'", "quoique": "quoiqu'", "si": "s'"}

NEGATIONS = _set("ne, n', pas, plus, jamais, guère")

#: Finite forms of être: the only verb that ce is the subject of.
IS = _set("est, sont, était, étaient, sera, seront, serait, seraient, fut, furent, soit, soient")

PLURAL_IS = _set("sont, étaient, seront, seraient, furent, soient")

#: Verbs that may stand between ce and être.
MODALS = _set("peut, pouvait, pourrait, pourra, doit, devait, devrait, devra, va")

#: Verbs whose il stands for nothing.
IMPERSONAL = _set(
    "faut, fallait, faudra, faudrait, fallut, faille, pleut, neige, s' agit, s' agissait",
    "y a, y avait, y aura, y aurait, y ait",
)

#: Behind these an elle, elles or cela is no subject.
PREPOSITIONS = _set(
    "de, d', à, avec, pour, sans, par, chez, sur, contre, vers, entre, selon, malgré, envers, parmi, dans",
    "sous, devant, derrière, après, avant",
)

#: What makes a noun or a clause of the words behind être: c'est un, c'est que, not il est un, il est que.
BEFORE_NOUNS = _set(
    "un, une, le, la, l', les, des, du, ce, cet, cette, ces, plusieurs, quelques, mon, ma, mes, ton, ta, tes",
    "son, sa, ses, notre, nos, votre, vos, leur, leurs, que, qu', pourquoi, parce, quand, moi, toi, lui",
    "nous, vous, eux",
)

#: Verbs whose adjective agrees with the subject: être and its like.
COPULAS = IS | _set(
    "être, été",
    "semble, semblent, semblait, semblaient, paraît, paraissent, devient, deviennent",
    "reste, restent, restait, restaient",
)
