"""Are the reasons of verdicts true, and how sure must the resolver be before a reason names a referent?

    python benchmarks/verdict/reasons.py show [ID...]   the drawn verdicts with their texts, to be read
    python benchmarks/verdict/reasons.py limits         what the resolver finds likely, and what is right
    python benchmarks/verdict/reasons.py count          what was read in the drawn verdicts

`readings/referents.tsv` has what 225 pronouns of the judged sets refer to, as we read them: a noun, by line
and token from 0; an event; nothing; people whom the text does not name; or another noun, which the resolver
does not have. `results/reasons.tsv` has the drawn verdicts, of other pronouns: whether the judgement confirms
the verdict, and whether its reason is right, right but no more than the opinion of a network, partly right,
or wrong; before and after these limits were set.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.antecedents import PronounAntecedents
from anaphor.core import PronounScore
from benchmarks.verdict.evidence import HERE, JUDGED, Part, trials

PAIRS = ("en-de", "en-fr", "en-es")
DRAWN = HERE / "results" / "reasons.tsv"
REFERENTS = HERE / "readings" / "referents.tsv"
_BINS = (0.0, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.01)
_CONTEXT = 3


class Item(NamedTuple):
    """A judged pronoun with its verdict, and the evidence on its referent; `start` is the line from which
    the resolver counts.
    """

    row: Mapping[str, str]
    part: Part
    score: PronounScore | None
    antecedents: PronounAntecedents
    start: int


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def items(ids: Sequence[str], *, judge: bool) -> Iterator[Item]:
    """The judged pronouns with these ids, part by part; their verdicts take longer."""
    wanted = set(ids)
    rows = [row for pair in PAIRS for row in rows_of(JUDGED / f"{pair}.tsv") if row["id"] in wanted]
    for name in dict.fromkeys(row["part"] for row in rows):
        part = Part.read(name)
        for system, metric, trial in trials(part):
            own = [row for row in rows if (row["part"], row["system"]) == (name, system)]
            if not own:
                continue
            text = metric.text(trial)
            in_line = defaultdict(list)
            cases = list(metric.judge.cases(text))
            scores = metric.judge.judge(text)[0] if judge else [None] * len(cases)
            for case, score in zip(cases, scores, strict=True):
                if case.pair.source.form in ("it", "they"):
                    in_line[case.pair.source.segment].append((case, score))
            for row in own:
                line = int(row["line"])
                starts = [one.start() for one in re.finditer(r"\b(?:it|they)\b", part.source[line], re.I)]
                case, score = in_line[line][starts.index(int(row["start"]))]
                known = case.document.source.antecedents[case.place]
                yield Item(row, part, score, known, case.start)


def show(ids: Sequence[str]) -> None:
    """Print verdicts with the lines before them."""
    for item in items(ids or [row["id"] for row in rows_of(DRAWN)], judge=True):
        row, part = item.row, item.part
        line, start = int(row["line"]), int(row["start"])
        print(f"{row['id']}  {row['part']} {row['system']}  judged {row['verdict']}: {row['why']}")
        for at in range(max(0, line - _CONTEXT), line + 1):
            if part.documents[at] == part.documents[line]:
                source = part.source[at]
                if at == line:
                    end = start + len(row["pronoun"])
                    source = f"{source[:start]}[[{source[start:end]}]]{source[end:]}"
                print(f"  {at + 1}  {source}\n  {at + 1}  {part.candidates[row['system']][at]}")
        if item.score is not None:
            print(f"  {item.score.verdict}: {item.score.reason}\n")


def limits() -> None:
    """Print how often the resolver is right, by its probability."""
    read = {row["id"]: row for row in rows_of(REFERENTS)}
    nouns, pairs, none, nothing, people = ([] for _ in range(5))
    for item in items(list(read), judge=False):
        row, found = read[item.row["id"]], item.antecedents
        kind = row["refers_to"]
        shares: defaultdict[str, float] = defaultdict(float)
        true = ""
        for head, share in found.heads.items():
            # Mentions of one noun count as one antecedent.
            shares[head.lemma] += share
            place = str(item.start + head.sentence), str(head.position)
            if kind == "noun" and place == (row["line"], row["token"]):
                true = head.lemma
        ranked = sorted(shares, key=lambda lemma: -shares[lemma])
        if ranked:
            nouns.append((shares[ranked[0]], ranked[0] == true))
            pairs.append((sum(shares[lemma] for lemma in ranked[:2]), true in ranked[:2]))
        none.append((found.event + found.pleonastic, kind in ("event", "nothing")))
        nothing.append((found.pleonastic, kind == "nothing"))
        people.append((found.generic, kind == "people"))
    for name, judged in (
        ("the likeliest noun", nouns),
        ("one of the two likeliest nouns", pairs),
        ("no noun", none),
        ("nothing", nothing),
        ("people", people),
    ):
        print(name)
        for low, high in pairwise(_BINS):
            here = [right for share, right in judged if low <= share < high]
            above = [right for share, right in judged if share >= low]
            if here:
                print(f"  {low:.2f}  {sum(here):3} of {len(here):3}   from here {sum(above)} of {len(above)}")


def count(_: Sequence[str] = ()) -> None:
    """Print the table of README.md."""
    rows = rows_of(DRAWN)
    kinds = ("right", "opinion", "partly", "wrong")
    for pair in PAIRS:
        own = [row for row in rows if row["id"].startswith(pair)]
        given = [row for row in own if row["confirmed"] != "-"]
        rejected = [row["confirmed"] for row in own if row["verdict"] == "rejected"]
        figures: list[object] = [len(given), sum(row["confirmed"] == "yes" for row in given)]
        figures += [f"{rejected.count('yes')} of {len(rejected)}", len(own) - len(given)]
        for column in ("before", "after"):
            figures += [sum(row[column] == kind for row in own) for kind in kinds]
        print(pair, *figures, sep=" | ")
    for column in ("before_cause", "after_cause"):
        print(column, dict(Counter(row[column] for row in rows if row[column])))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands: dict[str, Callable[[Sequence[str]], None]] = {
        "show": show,
        "limits": lambda _: limits(),
        "count": count,
    }
    parser.add_argument("command", choices=commands)
    parser.add_argument("ids", nargs="*", metavar="ID")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    commands[options.command](options.ids)


if __name__ == "__main__":
    main()
