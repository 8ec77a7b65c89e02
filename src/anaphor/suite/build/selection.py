"""Selecting items for a plan, balanced by category and by form in the reference, with a report.

protest-2016, section 5.1: a number for each category, and within it, as far as available, equal numbers of
masculine and feminine, singular and plural forms in the reference. Documents take turns. The report shows
what the corpus offered and what was chosen from it (Tables 1 and 2).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import digest
from anaphor.core.table import Block, Listing, Paragraph, Table, count, text


@dataclass(frozen=True, slots=True)
class SelectableItem:
    """A possible item: its id, the categories it fits, the group of its form in the reference, its document.

    `confidence` is 1 for annotated pronouns; within a document and group, higher confidence comes first. An
    item with `doubtful` links is only used if a category would otherwise fall short.
    """

    id: str
    categories: tuple[str, ...]
    group: str
    document: str
    confidence: float = 1.0
    doubtful: bool = False


def select_items(
    items: Sequence[SelectableItem], plan: Mapping[str, int], *, seed: int
) -> dict[str, tuple[int, ...]]:
    """The numbers of the items selected for each category of the plan, ascending; no item is used twice.

    Categories with the least choice go first, so a common one does not use up the items of a rare one. Random
    numbers are digests of seed and id: adding or removing one item changes little else.
    """
    random = [digest([f"{seed} {item.id}".encode()]) for item in items]
    fitting = {
        name: [number for number, item in enumerate(items) if name in item.categories] for name in plan
    }
    taken: set[int] = set()
    chosen: dict[str, tuple[int, ...]] = {}
    for name in sorted(plan, key=lambda name: len(fitting[name]) - plan[name]):
        picked: list[int] = []
        # Doubtful items fill only what the others leave open.
        for doubtful in (False, True):
            left = [
                number
                for number in fitting[name]
                if number not in taken and items[number].doubtful is doubtful
            ]
            groups: dict[str, list[int]] = defaultdict(list)
            for number in left:
                groups[items[number].group].append(number)
            share = quotas({key: len(group) for key, group in groups.items()}, plan[name] - len(picked))
            for key, group in groups.items():
                picked += _in_turn(items, group, random)[: share[key]]
        taken.update(picked)
        chosen[name] = tuple(sorted(picked))
    return {name: chosen[name] for name in plan}


def quotas(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """The number of items from each group: as equal as the group sizes allow."""
    given = dict.fromkeys(sizes, 0)
    while wanted > 0 and (open_groups := [name for name in sizes if given[name] < sizes[name]]):
        # One each in turn; where fewer are left than groups, the larger groups come first.
        for name in sorted(open_groups, key=lambda name: (-sizes[name], name))[:wanted]:
            given[name] += 1
            wanted -= 1
    return given


def _in_turn(items: Sequence[SelectableItem], group: Sequence[int], random: Sequence[str]) -> list[int]:
    """The items of a group, the first of every document before the second of any, otherwise at random."""
    turns = []
    seen: Counter[str] = Counter()
    for number in sorted(group, key=lambda number: (-items[number].confidence, random[number])):
        document = items[number].document
        turns.append((seen[document], random[number], number))
        seen[document] += 1
    return [number for _, _, number in sorted(turns)]


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """One category: the planned number, and the available and selected ones by form group."""

    category: str
    planned: int
    available: Mapping[str, int]
    chosen: Mapping[str, int]
    automatic: int

    @property
    def taken(self) -> int:
        return sum(self.chosen.values())

    @property
    def missing(self) -> int:
        return self.planned - self.taken


def build_report(
    rows: Sequence[CategoryCounts], kinds: Mapping[str, int], lacks: Mapping[str, int], notes: Sequence[str]
) -> Listing:
    """All pronouns by kind, the categories of the plan, their forms in the reference, and remarks.

    `lacks` gives reasons for omitted candidates, `notes` describes the sentence alignment of the corpus.
    """
    planned, taken, automatic = (
        sum(getattr(row, name) for row in rows) for name in ("planned", "taken", "automatic")
    )
    content = {
        "pronouns": dict(kinds),
        "categories": {
            row.category: {
                "plan": row.planned,
                "possible": dict(_largest_first(row.available)),
                "chosen": dict(_largest_first(row.chosen)),
                "automatic": row.automatic,
                "missing": row.missing,
            }
            for row in rows
        },
        "plan": planned,
        "chosen": taken,
        "automatic": automatic,
        "left out": dict(lacks),
        "notes": list(notes),
    }
    categories: list[tuple[object, ...]] = [
        (row.category, row.planned, sum(row.available.values()), row.taken, row.automatic) for row in rows
    ]
    categories.append(("total", planned, "", taken, automatic))
    totals = sum((Counter(row.chosen) for row in rows), Counter[str]())
    groups = [name for name, _ in _largest_first(totals)]
    forms = [[row.category, *(row.chosen.get(name) or "-" for name in groups)] for row in rows]
    forms.append(["total", *(totals[name] for name in groups)])
    remarks = [
        f"missing: {row.missing} of {row.planned} {row.category}; the corpus has no more"
        for row in rows
        if row.missing
    ]
    remarks += [f"left out: {number} candidates, {why}" for why, number in lacks.items()]
    if automatic:
        remarks.append(f"to confirm: {automatic} items whose category was assigned automatically")
    remarks += [f"note: {note}" for note in notes]
    headings = ("plan", "possible", "chosen", "automatic")
    blocks: list[Block] = [
        Table((text("pronouns"), count("count")), [*kinds.items(), ("total", sum(kinds.values()))]),
        Table((text("category"), *map(count, headings)), categories),
        Table((text("in the reference"), *map(count, groups)), forms),
        Paragraph(remarks),
    ]
    return Listing(content, blocks)


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
