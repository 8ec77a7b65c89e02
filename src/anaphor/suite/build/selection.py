"""Which of the possible items a plan takes: balanced by category and by form in the reference.

protest-2016, section 5.1: a number for each category, and within it, as far as there are any, equally many
that are masculine and feminine, singular and plural in the reference. Documents take turns.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import digest


@dataclass(frozen=True, slots=True)
class SelectableItem:
    """A possible item: its id, the categories it fits, the group of its form in the reference, its document.

    `confidence` is 1 for what people annotated; of one document and group, surer offers come first. An offer
    with `doubtful` links is taken only where a category would else fall short.
    """

    id: str
    categories: tuple[str, ...]
    group: str
    document: str
    confidence: float = 1.0
    doubtful: bool = False


def select_items(
    offers: Sequence[SelectableItem], plan: Mapping[str, int], *, seed: int
) -> dict[str, tuple[int, ...]]:
    """The numbers of the offers that each category of the plan takes, ascending; no offer is taken twice.

    Categories with the least to choose from choose first, so that a rare one is not emptied by a common one.
    Chance is a digest of seed and id: an offer more or less changes little in what else is chosen.
    """
    luck = [digest([f"{seed} {offer.id}".encode()]) for offer in offers]
    fitting = {
        name: [number for number, offer in enumerate(offers) if name in offer.categories] for name in plan
    }
    taken: set[int] = set()
    chosen: dict[str, tuple[int, ...]] = {}
    for name in sorted(plan, key=lambda name: len(fitting[name]) - plan[name]):
        left = [number for number in fitting[name] if number not in taken]
        sure = [number for number in left if not offers[number].doubtful]
        picked = _balanced(offers, sure, plan[name], luck)
        if len(picked) < plan[name]:
            rest = [number for number in left if offers[number].doubtful]
            picked += _balanced(offers, rest, plan[name] - len(picked), luck)
        taken.update(picked)
        chosen[name] = tuple(sorted(picked))
    return {name: chosen[name] for name in plan}


def quotas(sizes: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many to take of each group: as equal as their sizes allow, the larger groups fill up."""
    given = dict.fromkeys(sizes, 0)
    while wanted > 0 and (open_groups := [name for name in sizes if given[name] < sizes[name]]):
        # One each in turn; where fewer are left than groups, the larger groups come first.
        for name in sorted(open_groups, key=lambda name: (-sizes[name], name))[:wanted]:
            given[name] += 1
            wanted -= 1
    return given


def _balanced(
    offers: Sequence[SelectableItem], numbers: Sequence[int], wanted: int, luck: Sequence[str]
) -> list[int]:
    groups: dict[str, list[int]] = defaultdict(list)
    for number in numbers:
        groups[offers[number].group].append(number)
    share = quotas({name: len(group) for name, group in groups.items()}, wanted)
    return [
        number for name, group in groups.items() for number in _in_turn(offers, group, luck)[: share[name]]
    ]


def _in_turn(offers: Sequence[SelectableItem], group: Sequence[int], luck: Sequence[str]) -> list[int]:
    """The offers of a group, the first of every document before the second of any, the rest by chance."""
    ordered = sorted(group, key=lambda number: (-offers[number].confidence, luck[number]))
    rounds = zip(_turns(offers, ordered), ordered, strict=True)
    return [number for _, _, number in sorted((turn, luck[number], number) for turn, number in rounds)]


def _turns(offers: Sequence[SelectableItem], ordered: Sequence[int]) -> Iterator[int]:
    seen: Counter[str] = Counter()
    for number in ordered:
        yield seen[offers[number].document]
        seen[offers[number].document] += 1
