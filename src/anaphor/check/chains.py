"""Changes along a chain: in the gender of one referent, or in the form of address for one person."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from anaphor.antecedents import GENDER_NAMES, TargetLanguage
from anaphor.check.cast import Cast
from anaphor.check.cast.address import address_forms
from anaphor.check.cast.genders import load_forms
from anaphor.check.cast.scene import quoted
from anaphor.check.doubts.nouns import explained_by_another_noun
from anaphor.check.findings import Finding, Kind
from anaphor.check.linking import LinkedBlock
from anaphor.check.verdicts import Examined, located
from anaphor.languages import fold

#: Mentions of one noun that are further apart, in rows, may be of different things.
_FARTHEST = 8
#: How much a change within a chain raises the odds that the pronoun is wrong.
_ODDS = 3.0
#: How probable it is that a switch of address is a mistake: between two people, and in a file of strings.
_SWITCH, _MIXED = 0.8, 0.7
#: Rows back in which the partner of a speaker is looked for.
_DIALOGUE = 4
#: Strings of a program address one user: so many must agree, for one that differs.
_LEAST_STRINGS, _MOST_OTHERS = 8, 0.15


class _Link(NamedTuple):
    """A pronoun of a chain, and the only gender that its rendering shows."""

    pronoun: Examined
    gender: str
    noun_row: int
    noun: int


def chain_findings(
    block: LinkedBlock, examined: Sequence[Examined], *, cast: Cast, least: float
) -> Iterator[Finding]:
    """One finding per chain that changes, except for changes that the verdict already reports."""
    yield from _gender_changes(block, examined, least)
    yield from _address_switches(block, cast)


def _gender_changes(block: LinkedBlock, examined: Sequence[Examined], least: float) -> Iterator[Finding]:
    chains: defaultdict[tuple[str, str], list[_Link]] = defaultdict(list)
    for pronoun in examined:
        readings = pronoun.evidence.rendering.readings
        genders = {reading.gender for reading in readings if reading.number == "s"}
        if pronoun.score.antecedent is None or len(genders) != 1 or not pronoun.is_pronoun:
            continue
        row, position = pronoun.score.antecedent
        key = block.rows[pronoun.row].document, fold(block.source(row).tokens[position])
        chains[key].append(_Link(pronoun, next(iter(genders)), row, position))
    for (_, noun), links in chains.items():
        for chain in _near(links):
            yield from _changed(block, noun, chain, least)


def _near(links: Sequence[_Link]) -> Iterator[list[_Link]]:
    """The links of one noun, divided at large distances."""
    chain: list[_Link] = []
    for link in links:
        if chain and link.pronoun.row - chain[-1].pronoun.row > _FARTHEST:
            yield chain
            chain = []
        chain.append(link)
    if chain:
        yield chain


def _changed(block: LinkedBlock, noun: str, chain: Sequence[_Link], least: float) -> Iterator[Finding]:
    counts = Counter(link.gender for link in chain)
    (usual, number), *others = counts.most_common()
    if not others or number < 2 or number == others[0][1]:
        return
    # A pronoun that may be right for another reason is no sign of a change.
    odd = [
        link
        for link in chain
        if link.gender != usual
        and not link.pronoun.doubts
        and not _agrees_with_its_noun(block, link)
        and not explained_by_another_noun(block, link.pronoun, noun)
    ]
    if not odd:
        return
    first = odd[0]
    if first.pronoun.confidence >= least:
        return
    odds = _ODDS * first.pronoun.confidence / max(1e-6, 1 - first.pronoun.confidence)
    rendering = first.pronoun.evidence.rendering
    target = block.target(first.pronoun.row)
    spans = [target.span(position) for position in rendering.positions]
    yield located(
        block.rows[first.pronoun.row],
        kind=Kind.CHAIN,
        source_span=block.source(first.pronoun.row).span(first.pronoun.token),
        target_span=spans[0] if spans else None,
        refers_to=noun,
        reason=(
            f"*{noun}* is {GENDER_NAMES[usual]} in {number} other places of its chain, and "
            f"*{rendering.form}* is {GENDER_NAMES[first.gender]}"
        ),
        confidence=odds / (1 + odds),
        places=_places(block, [link.pronoun.row for link in chain if link is not first]),
    )


def _agrees_with_its_noun(block: LinkedBlock, link: _Link) -> bool:
    """Whether its noun was translated by a noun of the same gender, in which case the change is needed."""
    tokens = block.target(link.noun_row).tokens
    language = TargetLanguage.load(block.pair.target)
    return any(
        link.gender in {reading.gender for reading in language.noun_readings(tokens, position)}
        for position in block.links(link.noun_row).targets_of(link.noun)
    )


class _Use(NamedTuple):
    """A form of address: the row, the target token, and `formal` or `familiar`."""

    row: int
    token: int
    form: str


def _address_switches(block: LinkedBlock, cast: Cast) -> Iterator[Finding]:
    forms = load_forms(block.pair.target)
    if forms is None or block.pair.source != "en":
        return
    between: defaultdict[tuple[str, str, str], list[_Use]] = defaultdict(list)
    strings: defaultdict[str, list[_Use]] = defaultdict(list)
    for document, members in groupby(range(len(block.rows)), key=lambda row: block.rows[row].document):
        rows = list(members)
        speakers = [(row, name) for row in rows if (name := block.rows[row].unit.speaker)]
        for row in rows:
            unit, file = block.rows[row].unit, block.rows[row].file
            if file.format != "po" and not unit.speaker:  # nobody knows who is addressed by whom
                continue
            tokens = block.target(row).tokens
            tags = block.target_analysis(row).tags
            uses = [
                _Use(row, at, form)
                for at, form in address_forms(tokens, tags, forms, block.source(row).tokens)
            ]
            # A unit that has both quotes somebody, or is ambiguous.
            if len({use.form for use in uses}) != 1:
                continue
            # Who speaks in quotation marks does not address the user.
            in_quotes = any(start <= uses[0].token < end for start, end in quoted(tokens))
            if file.format == "po" and not unit.speaker and not in_quotes:
                strings[file.path].append(uses[0])
            listener = unit.listener or _partner(speakers, row)
            if unit.speaker and listener and not _decided(cast, unit.speaker, listener):
                between[document, unit.speaker, listener].append(uses[0])
    for (_, speaker, listener), uses in between.items():
        yield from _switched(
            block, uses, f"{speaker} addresses {listener}", most=0.5, confidence=_SWITCH, fewest=2
        )
    for path, uses in strings.items():
        # People in a dialogue address each other as they like.
        if block.is_dialogue(path):
            continue
        yield from _switched(
            block,
            uses,
            "the file addresses its user",
            most=_MOST_OTHERS,
            confidence=_MIXED,
            fewest=_LEAST_STRINGS,
        )


def _partner(speakers: Sequence[tuple[int, str]], row: int) -> str:
    """Another speaker shortly before a row, or shortly after it; empty if there is none."""
    own = next((name for at, name in speakers if at == row), "")
    before = [name for at, name in speakers if 0 < row - at <= _DIALOGUE and name != own]
    after = [name for at, name in speakers if 0 < at - row <= _DIALOGUE and name != own]
    return next(iter([*reversed(before), *after]), "")


def _decided(cast: Cast, speaker: str, listener: str) -> bool:
    return any(
        cast.address_of(teller, hearer) for teller in cast.called(speaker) for hearer in cast.called(listener)
    )


def _switched(
    block: LinkedBlock, uses: Sequence[_Use], who: str, *, most: float, confidence: float, fewest: int
) -> Iterator[Finding]:
    counts = Counter(use.form for use in uses)
    (usual, number), *others = counts.most_common()
    if not others or number < fewest or others[0][1] > most * number:
        return
    odd = [use for use in uses if use.form != usual]
    first = odd[0]
    target = block.target(first.row)
    yield located(
        block.rows[first.row],
        kind=Kind.CHAIN,
        source_span=None,
        target_span=target.span(first.token),
        reason=(
            f"{who} with the {usual} form in {number} units; *{target.tokens[first.token]}* is {first.form}"
        ),
        confidence=confidence,
        places=_places(block, [use.row for use in odd[1:]]),
    )


def _places(block: LinkedBlock, rows: Sequence[int]) -> tuple[str, ...]:
    places = (f"{block.rows[row].file.path}:{block.rows[row].unit.line}" for row in rows)
    return tuple(dict.fromkeys(places))
