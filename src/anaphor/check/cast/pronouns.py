"""Pronouns of the source with the forms that render them, compared with the cast."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from anaphor.antecedents import TargetLanguage
from anaphor.check.cast.members import Member
from anaphor.check.cast.pronoun_forms import GenderedPronoun, pronoun_forms
from anaphor.check.cast.referents import PRONOUNS
from anaphor.check.cast.row import CLAUSE_TAGS, RowView, described_genders, is_name
from anaphor.check.findings import Finding
from anaphor.core.text import VERBS

#: How probable it is that a form is wrong where it contradicts the cast: linked to a pronoun, paired with one
#: by its place, rendering a name, or the only one that is left.
_PRONOUN, _UNLINKED, _NAMED, _LEFT_OVER = 0.92, 0.85, 0.85, 0.75
#: Words whose place in the sentence differs more do not belong together.
_FARTHEST = 0.4
_REFLEXIVES = {"de": {"sich"}, "fr": {"se", "s'"}, "es": {"se"}}
_OTHER = {
    "er": "sie",
    "ihn": "sie",
    "ihm": "ihr",
    "sie": "er",
    "il": "elle",
    "elle": "il",
    "le": "la",
    "la": "le",
    "lui": "elle",
    "él": "ella",
    "ella": "él",
    "lo": "la",
}


def pronoun_findings(row: RowView) -> Iterator[Finding]:
    """Every third-person pronoun of the source with the form that renders it."""
    waiting: list[int] = []
    taken: set[int] = set()
    # *himself* is *sich*, which shows no gender; links lead to another pronoun.
    reflexive = not _REFLEXIVES[row.language].isdisjoint(row.folded)
    positions = [
        at
        for at, token in enumerate(row.tokens)
        if token.lower() in PRONOUNS and not (reflexive and token.lower().endswith(("self", "selves")))
    ]
    forms = pronoun_forms(row)
    by_position = {form.position: form for form in forms}
    by_verb = _subjects_by_verb(row, forms)
    for position, subject in by_verb.items():
        taken.add(position)
        if subject in positions:
            yield from _pronoun(row, subject, by_position[position], _PRONOUN)
        else:
            yield from _named(row, by_position[position], subject)
    paired = set(by_verb.values())
    for at in positions:
        if at in paired:
            continue
        own = [by_position[target] for target in row.links.get(at, ()) if target in by_position]
        own = [form for form in own if _same_role(row, at, form) and form.position not in taken]
        if own:
            taken |= {form.position for form in own}
            for form in own:
                yield from _pronoun(row, at, form, _PRONOUN)
        else:
            waiting.append(at)
    free = [
        form
        for form in forms
        if form.position not in taken
        and form.role != "neuter"
        and not any(at in positions and _same_role(row, at, form) for at in row.back.get(form.position, ()))
    ]
    # Those with one function belong together first, and the nearest of them.
    near = sorted(
        (not _same_role(row, at, form), _distance(row, at, form), at, form.position)
        for at in waiting
        for form in free
        if (_same_role(row, at, form) or _is_dative_of(row, at, form))
        and _distance(row, at, form) <= _reach(form)
    )
    for _, _, at, position in near:
        if at in waiting and any(form.position == position for form in free):
            waiting.remove(at)
            free = [form for form in free if form.position != position]
            yield from _pronoun(row, at, by_position[position], _UNLINKED)
    yield from _left_over(row, waiting, free)
    for form in free:
        for source in row.back.get(form.position, ()):
            yield from _named(row, form, source)


def _left_over(row: RowView, waiting: Sequence[int], free: Sequence[GenderedPronoun]) -> Iterator[Finding]:
    """The only pronoun and the only form of a row that are left, though their functions differ:
    *How is she?*, *Wie geht es ihr?*
    """
    sources = [at for at in waiting if PRONOUNS[row.tokens[at].lower()] != "it"]
    if len(sources) == 1 and len(free) == 1 and len(row.mentions) == 0:
        (at,), (form,) = sources, free
        if row.is_possessive(at) == (form.role == "possessive"):
            yield from _pronoun(row, at, form, _LEFT_OVER)


def _subjects_by_verb(row: RowView, forms: Sequence[GenderedPronoun]) -> dict[int, int]:
    """The subject of the source for each form next to a verb that translates the verb of this subject.

    Links of pronouns stray more often than those of verbs: *Winter asked him*, *fragte sie*.
    """
    pairs: dict[int, int] = {}
    persons = any(form.role not in ("neuter", "possessive") for form in forms)
    for form in forms:
        if form.role not in ("subject", "personal", "neuter") or (form.role == "neuter" and persons):
            continue
        for beside in (form.position - 1, form.position + 1):
            if row.tag(beside) not in VERBS:
                continue
            subjects = {_subject_of_verb(row, source) for source in row.back.get(beside, ())} - {None}
            (subject,) = subjects if len(subjects) == 1 else (None,)
            if subject is not None and subject not in pairs.values():
                pairs[form.position] = subject
                break
    return pairs


def _subject_of_verb(row: RowView, verb: int) -> int | None:
    """A *he*, *she* or *they*, or the start of a name, right before a verb, or after an inverted one."""
    tags, tokens = row.source_tags, row.tokens
    if tags[verb] not in VERBS:
        return None
    before = verb - 1
    while before >= 0 and tags[before] in ("ADV", "AUX", "PART"):
        before -= 1
    for at in (before, verb + 1):
        if not 0 <= at < len(tokens):
            continue
        inverted = at > verb
        if tokens[at].lower() in ("he", "she", "they"):
            # *the story she told*, *as she spoke*: only in questions and reports the verb is first.
            if not inverted or tags[verb] == "AUX" or tags[verb - 1 : verb] == ("PUNCT",):
                return at
        elif (mention := row.mention_at(at)) is not None and mention.proper:
            begins = mention.start == 0 or tags[mention.start - 1] in CLAUSE_TAGS
            if any(is_name(word, tokens[mention.start : mention.end]) for word in row.target):
                continue
            if (inverted and verb and tags[verb - 1] == "PUNCT") or (not inverted and begins):
                return mention.start
    return None


def _same_role(row: RowView, at: int, form: GenderedPronoun) -> bool:
    """Whether a form can have the function of a source pronoun in its clause."""
    if row.is_possessive(at) or form.role == "possessive":
        return row.is_possessive(at) and form.role == "possessive"
    word = row.tokens[at].lower()
    if form.role == "personal" or word.endswith(("self", "selves")) or PRONOUNS[word] == "it":
        return True
    # *es* is often nobody; it counts where a link leads to it.
    return form.role == "neuter" or (form.role == "subject") == (word in ("he", "she", "they"))


def _is_dative_of(row: RowView, at: int, form: GenderedPronoun) -> bool:
    """Whether a form may be the owner in the dative: *over her shoulders*, *ihr um die Schultern*."""
    return row.language == "de" and row.is_possessive(at) and form.form in ("ihm", "ihr")


def _reach(form: GenderedPronoun) -> float:
    # Romance objects stand before their verbs: *I will call her*, *lo llamaré*.
    return 2 * _FARTHEST if form.role == "object" else _FARTHEST


def _distance(row: RowView, at: int, form: GenderedPronoun) -> float:
    return abs(at / max(1, len(row.tokens)) - form.position / max(1, len(row.target)))


def _pronoun(row: RowView, at: int, form: GenderedPronoun, confidence: float) -> Iterator[Finding]:
    word = row.tokens[at].lower()
    kind = PRONOUNS[word]
    if kind == "it" or form.position in row.marked:
        return
    members = row.referents(at, kind)
    # A girl may be *es* in German, whatever she is called; a ship that is *she* may not.
    if form.role == "neuter" and not all(member.thing for member in members):
        return
    if _contradicts(row, members, form.genders, form.form):
        if _agrees_with_noun(row, members, form):
            return
        if not row.is_certain(at, kind) and _fits_another(row, kind, members, form):
            return
        shown = described_genders(form.genders)
        reason = f"*{row.tokens[at]}* is {row.described(members)}; *{form.form}* is {shown}"
        suggestion = _other(row.language, form, members[0])
        yield row.finding(form.position, at, members, reason, confidence, suggestion=suggestion)


def _agrees_with_noun(row: RowView, members: Sequence[Member], form: GenderedPronoun) -> bool:
    """Whether a thing of the cast was just called by a noun that agrees with it: *der Ballon … er*."""
    language = TargetLanguage.load(row.language)
    things = {member.name for member in members if member.thing}
    for mention in row.mentions:
        if mention.proper or not mention.members & things:
            continue
        for target in row.links.get(mention.end - 1, ()):
            readings = language.noun_readings(row.target, target)
            if target < form.position and {reading.gender for reading in readings} & form.genders:
                return True
    return False


def _fits_another(row: RowView, kind: str, members: Sequence[Member], form: GenderedPronoun) -> bool:
    """Whether a form agrees with another member of the same pronoun."""
    others = [m for m in row.cast.members if m.pronouns == kind and m not in members]
    return any(not _contradicts(row, [member], form.genders, form.form) for member in others)


def _named(row: RowView, form: GenderedPronoun, source: int) -> Iterator[Finding]:
    """A subject pronoun that renders a name of the source."""
    mention = row.mention_at(source)
    if mention is None or form.role not in ("subject", "personal") or form.position in row.marked:
        return
    members = row.members(mention.members)
    if len(members) == 1 and _contradicts(row, members, form.genders, form.form):
        reason = f"*{form.form}* stands for {row.described(members)} and is {described_genders(form.genders)}"
        yield row.finding(form.position, source, members, reason, _NAMED)


def _contradicts(row: RowView, members: Sequence[Member], shown: frozenset[str], form: str) -> bool:
    """Whether a word that shows these genders fits none of some members."""
    for member in members:
        allowed = member.forms.get(row.language, ())
        if form in allowed:
            return False
        gender = member.gender(row.language)
        if gender is None or gender in shown:
            return False
        # *they* of one person: a plural may be meant, and *ihm* may be anything.
        if gender == "-" and shown & {"p", "y"}:
            return False
        if gender == "m" and "n" in shown:
            return False
    return bool(members)


def _other(language: str, form: GenderedPronoun, member: Member) -> str:
    """The form that a member has in place of a wrong one; empty if unknown."""
    if forms := member.forms.get(language):
        return forms[0]
    if form.role == "possessive":
        stem = "sein" if form.form.startswith("ihr") else "ihr"
        return stem + form.form.removeprefix("sein").removeprefix("ihr")
    return _OTHER.get(form.form, "") if member.gender(language) in ("m", "f") else ""
