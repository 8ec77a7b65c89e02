"""Pronouns of a translation that show the gender of whom they refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from anaphor.antecedents import TargetLanguage
from anaphor.check.cast.address import SENTENCE_STARTS, SINGULAR_IN_N
from anaphor.check.cast.row import CLAUSE_TAGS, RowView
from anaphor.core.text import VERBS
from anaphor.languages import FormMatcher, load_language

_NOMINATIVE = frozenset({"ich", "du", "er", "wir", "man"})


@dataclass(frozen=True, slots=True)
class GenderedPronoun:
    """A pronoun of the translation that shows a gender.

    `genders` are `m`, `f`, `n`, `p` for a plural, `y` for an address, and `-` for a word that the cast lists
    for somebody who is *they*. `role` is subject, object, personal (either), possessive, or neuter for *es*.
    """

    position: int
    form: str
    genders: frozenset[str]
    role: str


def pronoun_forms(row: RowView) -> list[GenderedPronoun]:
    """The pronouns of the translation that show gender."""
    listed = frozenset(form for member in row.cast.members for form in member.forms.get(row.language, ()))
    forms = (_form(row, at, listed) for at in range(len(row.target)))
    return [form for form in forms if form is not None]


def _form(row: RowView, at: int, listed: frozenset[str]) -> GenderedPronoun | None:
    word = row.folded[at]
    # *dem* and *elle* can be listed for somebody who is *they*; articles are none of them.
    if word in listed and row.tags[at] != "DET":
        return GenderedPronoun(at, word, frozenset("-"), "personal")
    bare = word.removeprefix("-").removeprefix("t-")
    read = _READERS[row.language]
    genders, role = read(row, at, bare)
    return GenderedPronoun(at, bare, genders, role) if genders else None


def _german(row: RowView, at: int, word: str) -> tuple[frozenset[str], str]:
    tags = row.tags
    tag = tags[at]
    capital = at > 0 and row.target[at][:1].isupper() and row.target[at - 1] not in SENTENCE_STARTS
    if word in row.forms["m"]:
        return frozenset("m"), "subject" if word == "er" else "object"
    if word in row.forms["m_or_n"]:
        return frozenset("mn"), "object"
    if word == "es":
        return frozenset("n"), "neuter"
    if word == "sie" and not capital:
        number = _german_number(row, at) if _is_subject(row, at) else ""
        # *fragte sie* after a quotation is a subject.
        after_quotation = at > 1 and tags[at - 1] == "VERB" and tags[at - 2] == "PUNCT"
        role = "subject" if number and after_quotation else "personal"
        return frozenset({"f", "p"} if not number else {"f" if number == "s" else "p"}), role
    if word in row.forms.possessive_m and (tag in ("DET", "PRON") or word != "sein"):
        return frozenset("mn"), "possessive"
    if word in row.forms.possessive_f and not capital:
        # *ihr* before a noun is a possessive, and else *to her* or *you*.
        if word == "ihr" and tag != "DET":
            return frozenset({"f", "y"}), "object"
        return frozenset("fp"), "possessive"
    return frozenset(), ""


def _is_subject(row: RowView, at: int) -> bool:
    """Whether *sie* is the subject of its clause, not the object of one that has another subject or none:
    *Kannst du sie wecken?*, *und gab sie her*.
    """
    tags, subjects = row.tags, row.analysis.subjects
    before = tags[at - 1] if at else ""
    if (at == 0 or row.target[at - 1] in SENTENCE_STARTS) and row.tag(at + 1) == "AUX":
        return True
    joined = at > 1 and before in VERBS and row.folded[at - 2] in ("und", "oder", "aber")
    if at not in subjects or before == "ADP" or joined:
        return False
    start = next((i + 1 for i in range(at - 1, -1, -1) if tags[i] in CLAUSE_TAGS), 0)
    end = next((i for i in range(at + 1, len(tags)) if tags[i] in CLAUSE_TAGS), len(tags))
    others = [other for other in range(start, end) if other != at]
    return not any(other in subjects or row.folded[other] in _NOMINATIVE for other in others)


def _german_number(row: RowView, at: int) -> str:
    """The number of the finite verb next to *sie*, empty if there is none in reach."""
    tags = row.tags
    # The auxiliary of a question is finite, and an infinitive may follow: *wird sie fliegen*.
    if at and tags[at - 1] in VERBS and _is_singular(row, at - 1):
        return "s"
    last = at
    while last + 1 < len(tags) and tags[last + 1] in VERBS:
        last += 1
    if last > at:
        # *sie kann gehen*, but *sie gegangen war* and *sie gesagt haben*.
        participle = last > at + 1 and row.folded[at + 1].startswith("ge")
        finite = (last,) if participle else (at + 1, last)
        return "s" if any(_is_singular(row, verb) for verb in finite) else "p"
    return "p" if at and row.folded[at - 1] == "sind" else ""


def _is_singular(row: RowView, verb: int) -> bool:
    """Whether a finite German verb is in the singular: the third person plural always ends in *n*."""
    word = row.folded[verb]
    return word in SINGULAR_IN_N or not (word.endswith("n") or word == "sind")


def _french(row: RowView, at: int, word: str) -> tuple[frozenset[str], str]:
    before = row.word(at - 1)
    # *il dit*, *dit-elle* are subjects; *avec elle*, *c'est lui* may be anything.
    prepositional = before in row.forms["prepositions"] or before in ("c'est", "est")
    following = row.tag(at + 1)
    role = "personal" if prepositional and row.target[at][0] != "-" else "subject"
    for gender in "mf":
        if word in row.forms[f"emphatic_{gender}"]:
            return frozenset(gender), "personal"
        if word in row.forms[gender]:
            return frozenset(gender), role
        if word in row.forms[f"plural_{gender}"]:
            return frozenset({"p", gender}), "personal"
        if word in row.forms[f"object_{gender}"] and _is_clitic(row, at):
            return frozenset(gender), "object"
    # *et lui noua un foulard* has the dative of either gender.
    clitic = following in VERBS or (following and _stands_for_verb(row, at + 1))
    if word == "lui" and prepositional and not clitic:
        return frozenset("m"), "personal"
    return frozenset(), ""


def _spanish(row: RowView, at: int, word: str) -> tuple[frozenset[str], str]:
    before = row.word(at - 1)
    for gender in "mf":
        if word in row.forms[gender]:
            # *como él*, *que ella* may be either.
            role = "personal" if before in ("como", "que", "según", "entre") else "subject"
            return frozenset(gender), "object" if before in row.forms["prepositions"] else role
        if word in row.forms[f"plural_{gender}"]:
            return frozenset({"p", gender}), "personal"
        if word in row.forms[f"object_{gender}"] and _is_clitic(row, at):
            following = row.word(at + 1)
            return (frozenset(), "") if following == "que" else (frozenset(gender), "object")
    if word.endswith(("lo", "la")) and row.tags[at] == "VERB":
        forms = _spanish_clitics().forms_in(row.target[at])
        for gender, clitic in (("m", "lo"), ("f", "la")):
            if clitic in forms:
                return frozenset(gender), "object"
    return frozenset(), ""


def _is_clitic(row: RowView, at: int) -> bool:
    """Whether *le*, *la*, *lo* is an object rather than an article: a verb follows, or the analyser says
    so.
    """
    following = row.tag(at + 1)
    return (
        row.tags[at] == "PRON"
        or following in VERBS
        or row.target[at][0] == "-"
        or (following == "NOUN" and _stands_for_verb(row, at + 1))
        # No feminine noun ends like *miré* and *derribó*.
        or (row.language == "es" and row.word(at + 1).endswith(("é", "ó")))
    )


def _stands_for_verb(row: RowView, target: int) -> bool:
    """Whether an unknown word translates a verb; the analyser knows few of the past forms used in
    stories."""
    # Without its article, which would make a noun of any word.
    if TargetLanguage.load(row.language).noun_readings((row.target[target],), 0):
        return False
    return any(row.source_tags[source] == "VERB" for source in row.back.get(target, ()))


#: Readers of a word by target language: its genders, and its role.
_READERS: Mapping[str, Callable[[RowView, int, str], tuple[frozenset[str], str]]] = {
    "de": _german,
    "fr": _french,
    "es": _spanish,
}


def _spanish_clitics() -> FormMatcher:
    return FormMatcher(load_language("es"), ("lo", "la"))
