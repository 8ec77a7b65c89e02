"""Words that render a pronoun although no link says so, and words that only look like a rendering.

Aligners leave many short words without a link, or link them to a preposition nearby: *elevated it off* and
*la levanté del*. The words around a pronoun show where its translation should be. Searched there, in this
order, are

    pronouns      *lo*, *en*, *dies*, also contracted with a preposition: *danach*, *dessus*
    quantifiers   *they all ask* and *todos piden*
    possessives   *around it* and *a su alrededor*
    verbs         that contain their subject: *it tasted* and *tenía*

and only a single candidate counts: of two, either could be meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from anaphor.core.text import VERBS
from anaphor.languages import fold
from anaphor.verdict import Case
from anaphor.verdict.rendering import source_verbs

#: How far from the pronoun words say where its translation should be, and how far from theirs that may be.
_SOURCE_REACH, _TARGET_REACH = 3, 2
#: Words whose links often stray to a pronoun that has none.
_STRAY = frozenset({"ADP", "PART", "AUX", "DET", "ADV", "SCONJ", "CCONJ", "PUNCT"})
_FIRST_PERSON = frozenset(("i", "we"))
_PLURAL = frozenset(("they", "them"))
_QUANTIFIERS = frozenset(("all", "both"))
#: Words that stand for a preposition and a pronoun alone; as others, *en* and *y* have other functions, too.
_ADVERBIAL = {"fr": frozenset(("en", "y", "dessus", "dessous", "dedans"))}
_POSSESSIVES = {
    "de": frozenset(f"{stem}{end}" for stem in ("sein", "ihr") for end in ("", "e", "er", "en", "em", "es")),
    "es": frozenset(("su", "sus")),
    "fr": frozenset(("son", "sa", "ses", "leur", "leurs")),
}
#: Clitics of experiencers, which are subjects in English: *they like it*, *les gusta*.
_DATIVES = {"le": "s", "les": "p"}
#: Ends of Spanish verbs in *-o* that are of the third person: *hizo*, *dijo*, *tuvo*, *puso*, *vino*.
_THIRD_PERSON = ("izo", "ijo", "uvo", "udo", "uso", "ino", "ajo", "upo", "ubo", "ujo")


@dataclass(frozen=True, slots=True)
class PronounForms:
    """Which words are pronouns that can render those of an item, and which of these are only objects."""

    is_pronoun: Callable[[str], bool]
    objects: Collection[str]


def is_no_rendering(case: Case, position: int) -> bool:
    """Whether a Spanish word is no rendering of a pronoun in the third person: *acercarse*, *siento*."""
    if case.document.language.code != "es":
        return False
    word = fold(case.target.tokens[position])
    if word == "se" or word.endswith(("rse", "ndose")):  # a reflexive on a verb renders nothing
        return True
    # Verbs end in *-o* in the first person alone, but for a few pasts and pronouns attached to an infinitive.
    is_verb = case.target.analysis.tags[position] in VERBS
    return is_verb and word.endswith("o") and not word.endswith((*_THIRD_PERSON, "lo"))


def dative_before(case: Case, position: int) -> tuple[int, ...]:
    """The clitic that has the pronoun's number, before a Spanish verb whose number differs from it.

    *They like it*: *les gusta*; *they are called*: *se les llama*.
    """
    if case.document.language.code != "es" or not case.is_subject or not position:
        return ()
    number = _number(case)
    verb, clitic = case.target.tokens[position], fold(case.target.tokens[position - 1])
    differs = case.document.language.verb_number(verb) not in ("", number)
    return (position - 1,) if differs and _DATIVES.get(clitic) == number else ()


def overlooked(case: Case, forms: PronounForms, *, taken: Collection[int]) -> tuple[int, ...]:
    """The word that renders a pronoun without a link, if there is a single candidate.

    `taken` are positions of words that render other pronouns.
    """
    if _has_rival(case):
        return ()
    near = [at for at in _near(case) if at not in taken]
    for candidates in (
        [at for at in near if _may_be_pronoun(case, forms, at)],
        list(_quantifiers(case)),
        [at for at in near if _may_be_possessive(case, at)],
        [at for at in near if _may_be_verb(case, at)],
    ):
        if candidates:
            return tuple(candidates) if len(candidates) == 1 else ()
    return ()


def _number(case: Case) -> str:
    return "p" if case.pair.source.form in _PLURAL else "s"


def _near(case: Case) -> list[int]:
    """The positions in the translation around those of the pronoun's neighbours."""
    at = case.place.position
    linked = {
        target
        for source in range(at - _SOURCE_REACH, at + _SOURCE_REACH + 1)
        if source != at
        for target in case.links.get(source, ())
    }
    last = len(case.target.tokens) - 1
    return sorted(
        {
            near
            for target in linked
            for near in range(max(0, target - _TARGET_REACH), min(last, target + _TARGET_REACH) + 1)
        }
    )


def _has_rival(case: Case) -> bool:
    """Whether another pronoun nearby has no link either, so that a word could render that one."""
    at, tokens, tags = case.place.position, case.source.tokens, case.source.analysis.tags
    nearby = range(max(0, at - _SOURCE_REACH), min(len(tokens), at + _SOURCE_REACH + 1))
    return any(
        tags[other] == "PRON"
        and other != at
        and other not in case.links
        and fold(tokens[other]) not in (*_FIRST_PERSON, *_QUANTIFIERS)
        for other in nearby
    )


def _is_free(case: Case, position: int) -> bool:
    """Whether a word has no link but such as stray, or that of a subject which is in the verb."""
    tokens, tags = case.source.tokens, case.source.analysis.tags
    dropped = case.document.language.null_subjects
    return all(
        source == case.place.position
        or tags[source] in _STRAY
        or (dropped and fold(tokens[source]) in _FIRST_PERSON)
        for source in case.back_links.get(position, ())
    )


def _may_be_pronoun(case: Case, forms: PronounForms, position: int) -> bool:
    tokens, tags, language = case.target.tokens, case.target.analysis.tags, case.document.language
    word = fold(tokens[position]).lstrip("-")
    if not _is_free(case, position):
        return False
    before = case.source.analysis.tags[case.place.position - 1] if case.place.position else ""
    if word in _ADVERBIAL.get(language.code, ()):
        return before == "ADP"
    if word in language.adverbs:
        return before in ("ADP", "VERB")
    if not forms.is_pronoun(word) or is_no_rendering(case, position):
        return False
    if case.is_subject and word in forms.objects:
        return False
    if language.code == "de" and _is_relative_or_polite(case, position):
        return False
    following = tags[position + 1] if position + 1 < len(tags) else ""
    next_word = fold(tokens[position + 1]) if position + 1 < len(tokens) else ""
    is_article = tags[position] == "DET" and following not in VERBS
    numbers = {reading.number for reading in language.pronouns.get(word, ())}
    return not is_article and next_word not in ("que", "qui") and (not numbers or _number(case) in numbers)


def _is_relative_or_polite(case: Case, position: int) -> bool:
    """Whether a German word is a relative pronoun after a comma, or the *Sie* for *you*."""
    word, before = case.target.tokens[position], case.target.tokens[position - 1] if position else "."
    if before == ",":
        return word in ("der", "die", "das", "den", "dem")
    return word == "Sie" and before not in (".", "!", "?", ":", "„", '"', "“")


def _quantifiers(case: Case) -> Iterator[int]:
    """What *all* or *both* is linked to if it follows the pronoun or its auxiliary."""
    at, tokens, tags = case.place.position, case.source.tokens, case.source.analysis.tags
    following = at + 2 if tags[at + 1 : at + 2] == ("AUX",) else at + 1
    if following < len(tokens) and fold(tokens[following]) in _QUANTIFIERS:
        yield from case.links.get(following, ())


def _may_be_possessive(case: Case, position: int) -> bool:
    language = case.document.language.code
    before = case.place.position - 1
    return (
        fold(case.target.tokens[position]) in _POSSESSIVES.get(language, ())
        and before >= 0
        and case.source.analysis.tags[before] == "ADP"
        and _is_free(case, position)
    )


def _may_be_verb(case: Case, position: int) -> bool:
    """Whether a verb without links contains the subject: finite, of its number, without another one."""
    if not case.document.language.null_subjects or not case.is_subject:
        return False
    tags = case.target.analysis.tags
    if tags[position] not in VERBS or not _is_free(case, position) or is_no_rendering(case, position):
        return False
    own = {case.place.position, *source_verbs(case)}
    return (
        all(source in own for source in case.back_links.get(position, ()))
        and not case.subjects & {position - 1, position - 2}
        and case.document.language.verb_number(case.target.tokens[position]) == _number(case)
    )
