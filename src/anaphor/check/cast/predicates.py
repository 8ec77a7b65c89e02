"""Predicates: adjectives, participles and nouns that agree with a member of the cast."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from anaphor.antecedents import GENDER_NAMES
from anaphor.check.cast.genders import adjective_gender, person_noun_gender
from anaphor.check.cast.members import Member
from anaphor.check.cast.referents import POSSESSIVE, PRONOUNS
from anaphor.check.cast.row import RowView
from anaphor.check.findings import Finding
from anaphor.core.text import NOUNS

#: How probable it is that a word of each kind is wrong where it contradicts the cast.
_ADJECTIVE, _NOUN = 0.85, 0.8
#: Copulas that show who is spoken of, by target language; German adjectives show no gender.
_PERSONS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "de": {"i": frozenset({"bin"}), "you": frozenset({"bist", "warst"})},
    "fr": {"i": frozenset({"suis"}), "you": frozenset({"es"})},
    "es": {"i": frozenset({"estoy", "soy"}), "you": frozenset({"eres", "estás"})},
}
#: Adjectives that never stand before their nouns.
_PREDICATIVE = frozenset({"asleep", "awake", "alone", "alive", "afraid", "ashamed"})
_GERMAN_COPULAS = frozenset(
    (
        *("bin", "bist", "ist", "war", "warst", "wäre", "sei", "wird", "wurde", "werde", "werden", "sein"),
        *("sind", "seid", "waren", "wart", "wären", "gewesen", "geworden", "bleibt", "blieb", "bleibe"),
    )
)


def predicate_findings(row: RowView) -> Iterator[Finding]:
    """The predicates of a member after *is*, *was*, *am*, *are*."""
    for target in range(len(row.target)):
        if target in row.marked or row.tags[target] not in ("ADJ", "VERB", "NOUN", "PROPN"):
            continue
        if row.is_in_cast(row.target[target]) or _has_object(row, target):
            continue
        shown, confidence = _predicate_gender(row, target)
        complement = None
        if not shown:
            complement = _object_of_complement(row, target) or _subject_of_aside(row, target)
            shown, confidence = _agreeing_gender(row, target), _ADJECTIVE
        if not shown or (complement is None and _copula_before(row, target) is None):
            continue
        subjects = (
            [complement]
            if complement is not None
            else [
                row.subject(source, _subject_nouns(row, source))
                for source in row.back.get(target, ()) or _joined(row, target)
            ]
            or [_unlinked_subject(row, target)]
        )
        for subject in subjects:
            if subject is None or row.tokens[subject[0]].lower() in POSSESSIVE:
                continue
            at, members = subject
            wanted = {member.gender(row.language) for member in members}
            if members and not wanted & {shown, None, "n"}:
                word = row.folded[target]
                if wanted == {"-"} and any(word in m.forms.get(row.language, ()) for m in members):
                    continue
                reason = (
                    f"*{row.target[target]}* is {GENDER_NAMES[shown]}, and *{row.tokens[at]}* is "
                    f"{row.described(members)}"
                )
                yield row.finding(target, at, members, reason, confidence)
            break


def _joined(row: RowView, target: int) -> Iterable[int]:
    """What the predicate is linked to that an unlinked one is joined to: *pâle et fatigué*."""
    joined = target > 1 and row.tags[target - 1] == "CCONJ"
    return row.back.get(target - 2, ()) if joined else ()


def _object_of_complement(row: RowView, target: int) -> tuple[int, list[Member]] | None:
    """The object that a predicate describes: *found her sitting*, *la trouva assise*, *found Jon asleep*."""
    if row.language == "de" or _copula_before(row, target) is not None:
        return None
    for source in row.back.get(target, ()):
        word = row.tokens[source - 1].lower() if source else ""
        tag = row.source_tags[source]
        complement = tag in ("ADJ", "VERB") or row.tokens[source].endswith("ing")
        complement = complement or row.tokens[source].lower() in _PREDICATIVE
        if word in ("him", "her", "them") and complement and not row.is_possessive(source - 1):
            return source - 1, row.referents(source - 1, PRONOUNS[word])
        mention = row.mention_at(source - 1) if source and complement else None
        if mention is not None and mention.start and row.source_tags[mention.start - 1] == "VERB":
            return source - 1, row.members(mention.members)
    return None


def _subject_of_aside(row: RowView, target: int) -> tuple[int, list[Member]] | None:
    """The subject that adjectives between commas describe: *Jon lay on the deck, soaked and furious.*"""
    if row.language == "de" or _copula_before(row, target) is not None:
        return None
    tags = row.source_tags
    for source in row.back.get(target, ()):
        start = source
        while start > 0 and tags[start - 1] in ("ADJ", "VERB", "ADV", "CCONJ"):
            start -= 1
        end = source + 1
        while end < len(tags) and tags[end] in ("ADJ", "VERB", "ADV", "CCONJ"):
            end += 1
        aside = start > 0 and row.tokens[start - 1] == "," and row.tokens[end : end + 1] in ((",",), (".",))
        if aside and tags[source] in ("ADJ", "VERB") and tags[start] in ("ADJ", "VERB"):
            return row.subject(start - 1, _subject_nouns(row, start - 1))
    return None


def _has_object(row: RowView, target: int) -> bool:
    """Whether a reflexive participle agrees with nobody, as an object follows: *elle s'est essuyé les
    mains*.
    """
    if row.language != "fr" or row.tag(target + 1) != "DET":
        return False
    copula = _copula_before(row, target)
    return copula is not None and row.word(copula - 1) in ("s'", "se", "m'", "t'")


def _agreeing_gender(row: RowView, target: int) -> str:
    """The gender that an adjective or a participle shows, anywhere in the sentence."""
    if row.language == "de" or (row.language == "es" and row.folded[target].endswith("s")):
        return ""
    lemma, tag = row.analysis.lemmas[target], row.tags[target]
    if tag == "NOUN":
        # The analyser takes unknown participles for nouns: *asleep*, *endormie*.
        if not any(row.tokens[source].lower() in _PREDICATIVE for source in row.back.get(target, ())):
            return ""
        tag = "VERB"
    return adjective_gender(row.language, row.target[target], lemma, tag)


def _unlinked_subject(row: RowView, target: int) -> tuple[int, list[Member]] | None:
    """The *I* or *you* of a source whose copula in the translation shows that person."""
    copula = _copula_before(row, target)
    if copula is None:
        return None
    word = row.folded[copula].lstrip("-")
    person = next((person for person, copulas in _PERSONS[row.language].items() if word in copulas), "")
    at = next((at for at, token in enumerate(row.tokens) if token.lower() == person), None)
    speech = None if at is None else row.speech_at(at)
    if at is None or speech is None:
        return None
    return at, row.members(speech.speakers if person == "i" else speech.listeners)


def _subject_nouns(row: RowView, source: int) -> frozenset[int]:
    """Common nouns before a predicate that could be its subject, excluding the predicate's own words."""
    tags, tokens = row.source_tags, row.tokens
    own = source
    while own > 0 and (
        tags[own - 1] in ("DET", "ADJ", "ADV", "NUM") or tokens[own - 1].lower() in ("a", "an")
    ):
        own -= 1
    return frozenset(
        at
        for at in range(own)
        if tags[at] in NOUNS and row.mention_at(at) is None and not _is_prepositional(row, at)
    )


def _is_prepositional(row: RowView, noun: int) -> bool:
    """Whether a preposition governs a noun of the source, which is then not a subject."""
    tags = row.source_tags
    at = noun - 1
    while at >= 0 and tags[at] in ("DET", "ADJ", "NUM", "NOUN", "PROPN"):
        at -= 1
    return at >= 0 and tags[at] == "ADP"


def _predicate_gender(row: RowView, target: int) -> tuple[str, float]:
    """The gender that a predicate shows; empty if it does not describe a person."""
    tags, lemmas = row.tags, row.analysis.lemmas
    word = row.folded[target]
    copula = _copula_before(row, target)
    if row.language == "de":
        if copula is None or tags[target] not in NOUNS or _follows_preposition(row, target):
            return "", 0.0
        return person_noun_gender("de", row.target, target), _NOUN
    if copula is None:
        return "", 0.0
    following = row.tag(target + 1)
    article = any(
        tags[at] == "DET" and row.folded[at] not in ("tout", "toute") for at in range(copula + 1, target)
    )
    noun = person_noun_gender(row.language, row.target, target)
    if article:
        return (noun, _NOUN) if following not in NOUNS else ("", 0.0)
    if following in NOUNS and row.language == "fr":
        return "", 0.0
    shown = adjective_gender(row.language, row.target[target], lemmas[target], tags[target])
    if word.endswith("s") and row.language == "es":
        return "", 0.0
    return (shown or noun), (_ADJECTIVE if shown else _NOUN)


def _follows_preposition(row: RowView, target: int) -> bool:
    """Whether a noun of the translation belongs to a prepositional phrase such as *an der Leiter*."""
    at = target - 1
    while at >= 0 and row.tags[at] in ("DET", "ADJ", "NUM"):
        at -= 1
    return at >= 0 and row.tags[at] == "ADP" and row.folded[at] not in ("als", "wie")


def _copula_before(row: RowView, target: int) -> int | None:
    """The copula or auxiliary that links a word to its subject, a few words before it."""
    copulas = _GERMAN_COPULAS if row.language == "de" else row.forms["copulas"]
    for at in range(target - 1, max(-1, target - 7), -1):
        word = row.folded[at].lstrip("-")
        if word in copulas:
            return at
        if row.tags[at] in ("VERB", "PUNCT", "SCONJ") and word not in (",",):
            # *estoy cansada y aburrida*: participles are called verbs.
            if row.tags[at] == "VERB" and adjective_gender(
                row.language, row.target[at], row.analysis.lemmas[at], "ADJ"
            ):
                continue
            return None
        # *sin aliento y muy orgulloso*: what a conjunction joins goes back to the copula.
        joined = any(row.tags[between] == "CCONJ" for between in range(at + 1, target))
        if word == "," or (row.tags[at] == "ADP" and row.language != "de" and not joined):
            return None
    return None
