"""What speaks for the translator: reasons why a pronoun that the verdict rejects may be right after all.

The verdict was fitted on machine translations, where one pronoun in five is wrong. People are wrong far less
often, and they know more than the text says: what a film shows, what a string of a program is about. Each
doubt is a cause of false findings; `benchmarks/check/README.md` says how many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from anaphor.analyse.gender import Readings
from anaphor.antecedents import TargetLanguage
from anaphor.check.cast import Cast
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined
from anaphor.languages import fold
from anaphor.verdict import Kind as RenderingKind

#: Rows back in which another noun, or another pronoun, may show what is meant.
_REACH = 2


class Doubt(Enum):
    """Why a finding may be false."""

    NO_ANTECEDENT = "no antecedent in the text, and the form is no default"
    OTHER_PRONOUN = "the word may render another pronoun"
    OTHER_NOUN = "another noun nearby agrees with it"
    CHAIN = "a pronoun of the same gender and number is near"
    COMPLEMENT = "the second noun of *a cup of tea* agrees with it"
    BY_SENSE = "a plural for a group"
    PERSON = "the antecedent is a person of the cast"
    IDIOM = "*es* stands for an infinitive, or belongs to an idiom"
    NO_CONFLICT = "nothing that the verb shows differs from the antecedent"
    OTHER_STRING = "the antecedent is in another string of a program"
    LONG = "the unit is so long that links and antecedents go astray"
    FREE_CLITIC = "an object that nothing else explains"
    ADDRESS = "the word addresses the reader"


#: English pronouns by what renders them: who is *he* may be *ihm*, and who is *they* may be *elles*.
_PERSONS: Mapping[str, str] = {
    **dict.fromkeys(("he", "him", "himself"), "m"),
    **dict.fromkeys(("she", "her", "herself"), "f"),
    **dict.fromkeys(("they", "them", "themselves"), "p"),
    **dict.fromkeys(("it", "itself"), "s"),
}
#: Forms that a translator writes without a noun in mind, and that are the usual fault of machines.
_UNMARKED = frozenset(
    {"es", "das", "il", "le", "l'", "lo", "ils", "les", "los", "ellos", "ce", "c'", "cela", "ça"}
)
#: The least share of likely antecedents that a verb without its subject must contradict.
_CONFLICT = 0.5
#: Words of people who talk with each other.
_SPEAKER = frozenset({"i", "me", "my", "you", "your", "we", "us"})
#: Units with more source tokens are texts that were not segmented.
_LONG = 100
#: Verbs whose *es* stands for what follows, or is part of what they mean: *das erlaubt es ihm*, *versuch es*.
_IDIOMS: Mapping[str, tuple[str, ...]] = {
    "de": (
        *("schaff", "versuch", "probier", "ausprobier", "vergess", "vergiss", "erlaub", "ermöglich"),
        *("gestatt", "möglich", "gelingt", "gelang", "gibt", "gab", "eilig"),
    ),
}
#: Objects that a link may miss.
_CLITICS = {
    "fr": frozenset({"le", "la", "l'", "les", "en", "y", "lui", "leur"}),
    "es": frozenset({"lo", "la", "los", "las", "le", "les"}),
}


def doubts(block: LinkedBlock, pronoun: Examined, cast: Cast) -> Iterator[Doubt]:
    """Every doubt about one rejected pronoun."""
    if _is_person(block, pronoun, cast):
        yield Doubt.PERSON
    for doubt, holds in _TESTS.items():
        if holds(block, pronoun):
            yield doubt


def _is_person(block: LinkedBlock, pronoun: Examined, cast: Cast) -> bool:
    """Whether *it* would have to be somebody of the cast."""
    if pronoun.score.antecedent is None:
        return False
    row, position = pronoun.score.antecedent
    word = fold(block.source(row).tokens[position])
    named = [m for m in cast.members if any(word in fold(name).split() for name in m.names)]
    return bool(named) and not any(member.thing or member.pronouns == "it" for member in named)


def _no_antecedent(_: LinkedBlock, pronoun: Examined) -> bool:
    rendering = pronoun.heard.rendering
    return (
        rendering.kind is RenderingKind.PRONOUN
        and pronoun.score.antecedent is None
        and rendering.form not in _UNMARKED
    )


def _other_pronoun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the source has another pronoun that would be rendered by this very form."""
    rendering = pronoun.heard.rendering
    if rendering.kind is not RenderingKind.PRONOUN:
        return False
    tokens = block.source(pronoun.row).tokens
    own = _PERSONS.get(fold(tokens[pronoun.token]), "")
    others = {_PERSONS.get(fold(token), "") for at, token in enumerate(tokens) if at != pronoun.token} - {
        "",
        own,
    }
    return any(_renders(rendering.readings, person) for person in others)


def _renders(readings: Readings, person: str) -> bool:
    if person in ("m", "f"):
        return any(reading.gender == person and reading.number == "s" for reading in readings)
    return any(reading.number == person for reading in readings)


def _other_noun(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a noun before the word agrees with a form that is no default."""
    rendering = pronoun.heard.rendering
    marked = rendering.kind is RenderingKind.PRONOUN and rendering.form not in _UNMARKED
    agreeing = rendering.kind is RenderingKind.NULL_SUBJECT and rendering.agreeing
    if not (marked or agreeing) or not rendering.positions:
        return False
    language = TargetLanguage.load(block.pair.target)
    document = block.rows[pronoun.row].document
    for row in range(max(0, pronoun.row - _REACH), pronoun.row + 1):
        if block.rows[row].document != document:
            continue
        tokens, tags = block.target(row).tokens, block.target_analysis(row).tags
        end = min(rendering.positions) if row == pronoun.row else len(tokens)
        for at in range(end):
            if tags[at] != "NOUN":
                continue
            readings = language.noun_readings(tokens, at)
            if (
                readings
                and len({reading.gender for reading in readings}) == 1
                and readings & rendering.readings
            ):
                return True
    return False


def _chain(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the pronoun of the row or of the rows before has the same marked form already."""
    rendering = pronoun.heard.rendering
    if rendering.kind is not RenderingKind.PRONOUN or rendering.form in _UNMARKED or not rendering.positions:
        return False
    document = block.rows[pronoun.row].document
    for row in range(max(0, pronoun.row - _REACH), pronoun.row):
        if block.rows[row].document == document and rendering.form in map(fold, block.target(row).tokens):
            return True
    return False


def _by_sense(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether *they* stands for a noun that the translation has in the singular: *la gente … ellos*."""
    if pronoun.score.antecedent is None or fold(block.source(pronoun.row).tokens[pronoun.token]) == "it":
        return False
    row, position = pronoun.score.antecedent
    if {reading.number for reading in pronoun.heard.rendering.readings} != {"p"}:
        return False
    language = TargetLanguage.load(block.pair.target)
    tokens = block.target(row).tokens
    readings = [language.noun_readings(tokens, at) for at in block.links(row).targets_of(position)]
    return any({reading.number for reading in its} == {"s"} for its in readings)


def _complement(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether the antecedent is the first noun of *a cup of tea*, and the second agrees."""
    if pronoun.score.antecedent is None:
        return False
    row, position = pronoun.score.antecedent
    tokens, tags = block.source(row).tokens, block.source_analysis(row).tags
    if [fold(token) for token in tokens[position + 1 : position + 2]] != ["of"]:
        return False
    noun = next(
        (at for at in range(position + 2, min(len(tokens), position + 6)) if tags[at] == "NOUN"), None
    )
    if noun is None:
        return False
    language = TargetLanguage.load(block.pair.target)
    return any(
        language.noun_readings(block.target(row).tokens, target) & pronoun.heard.rendering.readings
        for target in block.links(row).targets_of(noun)
    )


def _no_conflict(_: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a verb without its subject shows nothing that the likely antecedents contradict."""
    if pronoun.heard.rendering.kind is not RenderingKind.NULL_SUBJECT:
        return False
    agreement = pronoun.heard.testimonies.get("agreement")
    signals = agreement.signals if agreement else {}
    return signals.get("noun_differs", 0.0) <= max(signals.get("noun_fits", 0.0), _CONFLICT)


def _other_string(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a string without a speaker would refer to a noun of another string."""
    row = block.rows[pronoun.row]
    if row.file.format != "po" or row.unit.speaker or pronoun.score.antecedent is None:
        return False
    segment, _ = pronoun.score.antecedent
    spoken = any(not _SPEAKER.isdisjoint(map(fold, block.source(at).tokens)) for at in (pronoun.row, segment))
    return segment != pronoun.row and not spoken


def _long(block: LinkedBlock, pronoun: Examined) -> bool:
    return len(block.source(pronoun.row).tokens) > _LONG


def _idiom(block: LinkedBlock, pronoun: Examined) -> bool:
    stems = _IDIOMS.get(block.pair.target, ())
    if pronoun.heard.rendering.form != "es":
        return False
    tokens = [fold(token) for token in block.target(pronoun.row).tokens]
    near = (at for place in pronoun.heard.rendering.positions for at in range(place - 4, place + 3))
    return any(0 <= at < len(tokens) and tokens[at].startswith(stems) for at in near)


def _is_address(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a stray link leads to *Sie* inside a sentence, which addresses the reader."""
    cased = block.experiment.pack.target.cased
    tokens = block.target(pronoun.row).tokens
    return any(
        at > 0 and tokens[at] in cased and tokens[at - 1][-1:].isalnum()
        for at in pronoun.heard.rendering.positions
    )


def _has_free_clitic(block: LinkedBlock, pronoun: Examined) -> bool:
    """Whether a pronoun that seems to be missing may be an object that nothing else of the source explains.

    Links of objects that stand before their verb often stray: *view it*, *pour la voir*.
    """
    if pronoun.heard.rendering.kind is not RenderingKind.NOTHING:
        return False
    tokens, tags = block.target(pronoun.row).tokens, block.target_analysis(pronoun.row).tags
    sources = block.source_analysis(pronoun.row).tags
    back = block.links(pronoun.row).by_target()
    clitics = _CLITICS.get(block.pair.target, frozenset())
    for at, token in enumerate(tokens):
        word = fold(token).removeprefix("-")
        following = tags[at + 1] if at + 1 < len(tags) else ""
        is_object = tags[at] == "PRON" or following in ("VERB", "AUX") or token.startswith("-")
        explained = any(sources[source] in ("PRON", "NOUN", "PROPN", "DET") for source in back.get(at, ()))
        if word in clitics and is_object and not explained:
            return True
    return False


_TESTS: Mapping[Doubt, Callable[[LinkedBlock, Examined], bool]] = {
    Doubt.NO_ANTECEDENT: _no_antecedent,
    Doubt.OTHER_PRONOUN: _other_pronoun,
    Doubt.OTHER_NOUN: _other_noun,
    Doubt.CHAIN: _chain,
    Doubt.COMPLEMENT: _complement,
    Doubt.BY_SENSE: _by_sense,
    Doubt.NO_CONFLICT: _no_conflict,
    Doubt.OTHER_STRING: _other_string,
    Doubt.LONG: _long,
    Doubt.IDIOM: _idiom,
    Doubt.FREE_CLITIC: _has_free_clitic,
    Doubt.ADDRESS: _is_address,
}
