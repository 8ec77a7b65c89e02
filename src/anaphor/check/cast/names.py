"""Names in a translation: titles and articles before them, and nouns that render them."""

from __future__ import annotations

from collections.abc import Iterator

from anaphor.antecedents import GENDER_NAMES, TargetLanguage
from anaphor.check.cast.genders import person_noun_gender
from anaphor.check.cast.members import Member
from anaphor.check.cast.referents import CastMention
from anaphor.check.cast.row import RowView, described_genders, is_name
from anaphor.check.findings import Finding
from anaphor.core.text import NOUNS
from anaphor.languages import fold

#: How probable it is that a word of each kind is wrong where it contradicts the cast.
_TITLE, _ARTICLE, _NOUN = 0.92, 0.85, 0.8
_ARTICLES = frozenset(
    (
        *("der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer"),
        *("le", "la", "du", "au", "un", "une", "el", "del", "al", "una"),
    )
)


def name_findings(row: RowView) -> Iterator[Finding]:
    """Titles and articles before a name, and nouns that translate one."""
    for at, word in enumerate(row.folded):
        yield from _title(row, at, word)
    for mention in row.mentions:
        members = row.members(mention.members)
        name = {fold(token) for token in row.tokens[mention.start : mention.end]}
        if len(members) != 1 or (row.language != "de" and members[0].thing and not mention.proper):
            continue
        # *Captain Alex Moreau*: the title belongs to the name.
        start = mention.start - _is_titled(row, mention)
        targets = sorted({t for at in range(start, mention.end) for t in row.links.get(at, ())})
        for target in targets:
            yield from _article(row, mention, members, target)
            untranslated = row.folded[target] in name and row.target[target][:1].isupper()
            if not members[0].thing and not untranslated:
                yield from _noun(row, mention.end - 1, members, target)


def _is_titled(row: RowView, mention: CastMention) -> bool:
    """Whether a capitalized noun right before a name is a title."""
    before = mention.start - 1
    return (
        mention.proper
        and before >= 0
        and row.tokens[before][:1].isupper()
        and row.source_tags[before] in NOUNS
        and row.mention_at(before) is None
    )


def _title(row: RowView, at: int, word: str) -> Iterator[Finding]:
    """A title such as *Frau* before the name of a man."""
    for gender in "mf":
        if word not in row.forms[f"titles_{gender}"] or at + 1 >= len(row.target):
            continue
        for ahead in (at + 1, at + 2):
            name = row.target[ahead] if ahead < len(row.target) else ""
            members = _with_name(row, name) if name[:1].isupper() else []
            if members and not any(member.gender(row.language) in (gender, None) for member in members):
                reason = f"*{row.target[at]}* before the name of {row.described(members)}"
                yield row.finding(at, None, members, reason, _TITLE)
                break


def _with_name(row: RowView, word: str) -> list[Member]:
    """The members whose names contain a word."""
    own = fold(word)
    return [
        member
        for member in row.cast.members
        if any(own == fold(part) for name in member.names if name[:1].isupper() for part in name.split())
    ]


def _article(row: RowView, mention: CastMention, members: list[Member], target: int) -> Iterator[Finding]:
    """An article directly before a proper name: *der Albatross*, *la Albatros*."""
    name = row.tokens[mention.start : mention.end]
    before = row.word(target - 1)
    if not mention.proper or before not in _ARTICLES or not is_name(row.target[target], name):
        return
    readings = TargetLanguage.load(row.language).determiners.get(before, frozenset())
    singular = frozenset(reading.gender for reading in readings if reading.number == "s")
    # Without readings in the singular it is a plural, or no article.
    if row.language == "de" and before in ("der", "den", "dem", "des"):
        singular = {"den": frozenset("m"), "dem": frozenset("mn"), "des": frozenset("mn")}.get(
            before, frozenset()
        )
    gender = members[0].gender(row.language)
    if singular and gender in ("m", "f", "n") and gender not in singular and before not in ("l'", "d'"):
        reason = (
            f"*{row.target[target - 1]}* before {row.described(members)} is {described_genders(singular)}"
        )
        yield row.finding(target - 1, mention.start, members, reason, _ARTICLE)


def _noun(row: RowView, source: int, members: list[Member], target: int) -> Iterator[Finding]:
    """A noun that renders the name of a person and has the other gender."""
    before = row.word(target - 1)
    titled = any(before in row.forms[f"titles_{gender}"] for gender in "mf")
    # *Kapitän Voss* is also a woman's title.
    following = row.target[target + 1] if target + 1 < len(row.target) else ""
    called = row.language == "de" and following[:1].isupper() and bool(_with_name(row, following))
    if target in row.marked or titled or called:
        return
    gender = person_noun_gender(row.language, row.target, target)
    wanted = members[0].gender(row.language)
    if gender and wanted in ("m", "f") and gender != wanted:
        reason = f"*{row.target[target]}* is {GENDER_NAMES[gender]}, and {row.described(members)} is not"
        yield row.finding(target, source, members, reason, _NOUN)
