"""A first cast from the files themselves, with the evidence for every entry."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from anaphor.check.cast.address import address_forms
from anaphor.check.cast.genders import load_forms
from anaphor.check.cast.referents import PRONOUNS
from anaphor.check.linking import LinkedBlock
from anaphor.core.toml_lines import toml_string

#: A name that occurs less often is no member of a cast.
_FEWEST = 3
_MOST = 60
_DIALOGUE = 4
#: Names that begin sentences or stand for no person.
_NO_NAMES = frozenset({"i", "god", "ok", "okay", "yes", "no", "mr", "mrs", "ms", "x", "xx"})


@dataclass
class Evidence:
    """How often a name occurs and speaks, and the pronouns that follow it."""

    mentions: int = 0
    lines: int = 0
    pronouns: Counter[str] = field(default_factory=Counter)


@dataclass
class ProposedCast:
    """The evidence for members by name, and for address by speaker and listener."""

    members: defaultdict[str, Evidence] = field(default_factory=lambda: defaultdict(Evidence))
    address: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, block: LinkedBlock) -> None:
        """Count the names, speakers and forms of address of a block."""
        for _, rows in groupby(range(len(block.rows)), key=lambda row: block.rows[row].document):
            self._add_document(block, list(rows))

    def _add_document(self, block: LinkedBlock, rows: Sequence[int]) -> None:
        forms = load_forms(block.pair.target)
        last: list[str] = []
        speakers: list[tuple[int, str]] = []
        for row in rows:
            unit, tokens = block.rows[row].unit, block.source(row).tokens
            names = list(dict.fromkeys(_names(block, row)))
            for name in names:
                self.members[name].mentions += 1
            pronouns = Counter(
                PRONOUNS[token.lower()]
                for token in tokens
                if PRONOUNS.get(token.lower()) in ("he", "she", "they")
            )
            # Evidence is clear where one name alone may be meant.
            near = names or last
            if len(near) == 1:
                self.members[near[0]].pronouns += pronouns
            last = names
            if not unit.speaker:
                continue
            self.members[unit.speaker].lines += 1
            partner = unit.listener or next(
                (name for at, name in reversed(speakers) if name != unit.speaker and row - at <= _DIALOGUE),
                "",
            )
            speakers.append((row, unit.speaker))
            if partner and forms is not None:
                target = block.target(row).tokens
                tags = block.target_analysis(row).tags
                used = {form for _, form in address_forms(target, tags, forms, tokens)}
                if len(used) == 1:
                    self.address[unit.speaker, partner][used.pop()] += 1

    def toml(self) -> str:
        """A cast file, with the counts in comments; anything unclear is left to the reader."""
        kept = [
            (name, evidence)
            for name, evidence in self.members.items()
            if evidence.mentions + evidence.lines >= _FEWEST
        ]
        kept.sort(key=lambda entry: -(entry[1].mentions + entry[1].lines))
        parts = [
            "# Proposed from the files. Check every entry: pronouns are counted near a name, not resolved."
        ]
        for name, evidence in kept[:_MOST]:
            counts = ", ".join(f"{pronoun} {number}" for pronoun, number in evidence.pronouns.most_common())
            seen = f"{evidence.mentions} mentions, {evidence.lines} lines; nearby: {counts or 'no pronoun'}"
            parts.append(
                f'\n[[member]]\nname = {toml_string(name)}\npronouns = "{_likeliest(evidence)}"  # {seen}'
            )
        names = {name for name, _ in kept[:_MOST]}
        for (speaker, listener), counted in self.address.items():
            if not {speaker, listener} <= names:
                continue
            (form, number), *others = counted.most_common()
            other = f", {others[0][0]} {others[0][1]}" if others else ""
            parts.append(
                f"\n[[address]]\nfrom = {toml_string(speaker)}\n"
                f"to = {toml_string(listener)}\n"
                f'form = "{form}"  # {form} {number}{other}'
            )
        return "\n".join(parts) + "\n"


def _likeliest(evidence: Evidence) -> str:
    """The most frequent nearest pronoun of a name; *they* unless *he* or *she* is clear."""
    he, she = evidence.pronouns["he"], evidence.pronouns["she"]
    if evidence.pronouns["they"] > he + she or not he + she:
        return "they"
    if he >= 2 * she:
        return "he"
    return "she" if she >= 2 * he else "they"


def _names(block: LinkedBlock, row: int) -> list[str]:
    """Runs of capitalized words inside sentences that the analyser calls names."""
    tokens, tags = block.source(row).tokens, block.source_analysis(row).tags
    names: list[str] = []
    run: list[str] = []
    for token, tag in zip((*tokens, ""), (*tags, ""), strict=True):
        if tag == "PROPN" and token[:1].isupper() and token.lower() not in _NO_NAMES and token.isalpha():
            run.append(token)
            continue
        if run:
            names.append(" ".join(run))
            run = []
    return names
