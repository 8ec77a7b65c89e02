"""Pronouns that Chinese leaves out: aZPT against its published details and its program, and against people.

    python benchmarks/bench/zero_pronouns.py --mzprt FOLDER [--model FILE] [--write]

FOLDER is a copy of https://github.com/longyuewangdcu/mZPRT, of which nothing is kept here but counts.

1. Published details. They have every decision but not the links. For each decision there must be links for
   which our rule gives the same decision, at the same words, after the same search.
2. The program. It and our rule get the published outputs with random links, and must print the same details.
3. People. They marked, in 100 segments of every domain (52 of fiction can be read), whether six systems
   recover the pronouns; subtitles have two annotators. Which rule finds what they marked, with equal links?
   `--model` is a model that `anaphor align train` made of other text, instead of the built-in prior.
4. References. How many of their pronouns does a rule find?
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from anaphor.align import AlignerChoice
from anaphor.bench import make_from_files
from anaphor.bench.items import Bench, BenchItem, BenchOutcome, make_bench
from anaphor.bench.translations import judge_translations
from anaphor.bench.zero_pronouns import AzptDecision, decide_azpt, zero_pronouns
from anaphor.core import LanguagePair, Span

HERE = Path(__file__).parent
DOMAINS = ("M.S", "WF", "QA", "GR", "PP")
PAIR = LanguagePair("zh", "en")
#: Sheets with scores by domain; subtitles have two annotators.
SHEETS = {"M.S": ("M.S", "M.S_HD"), "QA": ("BK",), "GR": ("GR",), "PP": ("PP",), "WF": ("WF",)}
SYSTEMS = ("base", "deep", "doc", "large", "rec", "zpr")
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LABEL = re.compile(r"<([^<>]*)>_(Pa|[SOPR])(_n)?")


@dataclass(frozen=True)
class Row:
    """A line of a file of details."""

    sentence: int
    position: int
    label: str
    reference: str
    places: tuple[int, ...]
    words: tuple[str, ...]
    right: bool

    @classmethod
    def read(cls, line: str) -> Row:
        sentence, position, label, reference, places, words, case = line.rstrip("\n").split("\t")
        right = case == "1"
        return cls(
            int(sentence),
            int(position),
            label,
            reference,
            (int(places),) if right else tuple(map(int, re.findall(r"\d+", places))),
            (words,) if right else tuple(_list(words)),
            right,
        )

    def same(self, decision: AzptDecision) -> bool:
        words = self.words if not self.right else ()
        return (self.right, self.places, words) == (decision.right, decision.places, decision.searched)


def _list(text: str) -> Iterator[str]:
    """The strings of a list as Python prints it."""
    for single, double in re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", text):
        yield (single or double).replace("\\'", "'").replace("\\\\", "\\").replace("\\xa0", "\xa0")


def expected_by(label: str) -> str:
    """What aZPT expects for a label; `_n` marks a pronoun that should not be translated."""
    mark = _LABEL.fullmatch(label)
    assert mark is not None, label
    return "None" if mark[3] else zero_pronouns().expected(mark[1], mark[2])[0]


def unmarked(line: str) -> list[str]:
    """The words of an output without the marks around those that were looked at, once for each pronoun."""
    words = []
    for word in line.split():
        while len(word) > 2 and word.startswith("<") and word.endswith(">"):
            word = word[1:-1]
        words.append(word)
    return words


def explained(row: Row, words: Sequence[str], expected: str, neighbours: int) -> bool:
    """Whether there are links for which our rule decides as published, with windows of this size."""

    def same(links: Mapping[int, Sequence[int]]) -> bool:
        return row.same(decide_azpt(expected, words, links, row.position, neighbours=neighbours))

    # A link to one word, or none to the pronoun and two at most to its neighbours, cover every kind of row.
    if any(same({row.position: [at]}) for at in range(len(words))):
        return True
    lows = [at for at in range(len(words) + 1) if _starts(words, at, row.words)]
    if row.right:
        lows = [0]
    highs = {row.places[0], *lows} if row.places else {len(words), *lows}
    ends = {row.places[-1] + 1 if row.places else 0, 0}
    for low in lows:
        for high in highs:
            left = {} if low == high == 0 else {row.position - 1: [low, max(low, high)]}
            for right in ({}, *({row.position + 1: [end]} for end in ends)):
                if same({**left, **right}):
                    return True
    return False


def _starts(words: Sequence[str], at: int, searched: Sequence[str]) -> bool:
    return tuple(words[at:]) == tuple(searched) or tuple(words[at:-1]) == tuple(searched)


def details(folder: Path) -> Iterator[tuple[str, Path, list[Row], list[list[str]]]]:
    """Each published file: its domain and name, its path, its rows, and the words of the output."""
    for domain in DOMAINS:
        for path in sorted((folder / "2_metric_azpt/aZPT_output" / domain).glob("*.details")):
            rows = [Row.read(line) for line in path.read_text("utf-8").splitlines()[1:]]
            tagged = path.with_suffix(".tagged").read_text("utf-8").split("\n")[:-1]
            yield f"{domain}/{path.stem}", path, rows, [unmarked(line) for line in tagged]


def published(folder: Path) -> dict[str, dict[str, object]]:
    """Part 1, by file."""
    found: dict[str, dict[str, object]] = {}
    for name, path, rows, outputs in details(folder):
        forms = sum(row.reference == expected_by(row.label) for row in rows)
        # The default of the program is 2. Nothing says with which size the details were made.
        same = {
            size: sum(explained(row, outputs[row.sentence], expected_by(row.label), size) for row in rows)
            for size in (2, 3)
        }
        score = path.with_suffix(".score").read_text("utf-8").splitlines()[-1]
        counts = [int(number) for number in re.findall(r":(\d+)(?=\t)", score)]
        printed = float(score.rpartition(":")[2])
        right = sum(row.right for row in rows)
        found[name] = {
            "pronouns": len(rows),
            "same form": forms,
            **{f"same decision, {size} neighbours": number for size, number in same.items()},
            "right": right,
            "published counts": counts,
            "published score": printed,
            "equal": counts == [right, len(rows) - right] and printed == right / len(rows),
        }
        print(name, found[name], flush=True)
    return found


def program(folder: Path, size: int) -> dict[str, object]:
    """Part 2: the details that the program prints, for no to three random links of every source word."""
    rng = random.Random(size)  # noqa: S311 - repeatable, nothing secret
    decisions, same, kinds = 0, 0, Counter[str]()
    for _, _, rows, outputs in details(folder):
        labels: dict[int, dict[int, str]] = {}
        for row in rows:
            labels.setdefault(row.sentence, {})[row.position] = row.label
        links: list[dict[int, list[int]]] = []
        sources = []
        for number, words in enumerate(outputs):
            own = labels.get(number, {})
            length = max(own, default=0) + rng.randint(1, 6)
            sources.append(" ".join(own.get(at, "字") for at in range(length)))
            links.append(
                {
                    at: rng.sample(range(len(words)), min(amount, len(words)))
                    for at in range(length)
                    if (amount := rng.choice((0, 1, 1, 2, 3))) and words
                }
            )
        with tempfile.TemporaryDirectory() as temporary:
            place = Path(temporary)
            (place / "source").write_text("".join(f"{line}\n" for line in sources), "utf-8")
            (place / "output").write_text("".join(f"{' '.join(words)}\n" for words in outputs), "utf-8")
            (place / "links").write_text(
                "".join(
                    " ".join(f"{source}-{to}" for source, targets in own.items() for to in targets) + "\n"
                    for own in links
                ),
                "utf-8",
            )
            command = [sys.executable, str(folder / "2_metric_azpt/aZPT/aZPT.py")]
            command += ["-s", "source", "-t", "output", "-at", "links", "-o", "theirs", "-n", str(size)]
            subprocess.run(command, cwd=place, check=True, capture_output=True)
            theirs = (place / "theirs_tgt.details").read_text("utf-8").splitlines()[1:]
        for row in map(Row.read, theirs):
            ours = decide_azpt(
                expected_by(row.label),
                outputs[row.sentence],
                links[row.sentence],
                row.position,
                neighbours=size,
            )
            decisions += 1
            same += row.same(ours)
            linked = "linked" if row.position in links[row.sentence] else "not linked"
            kinds[f"{linked}, {'right' if row.right else 'wrong'}"] += 1
    result: dict[str, object] = {"decisions": decisions, "same": same, **dict(sorted(kinds.items()))}
    print("program:", result, flush=True)
    return result


@dataclass(frozen=True)
class Judged:
    """A segment that people have judged: the marks (0 for recovered) and the output of each system."""

    source: str
    reference: str
    outputs: Mapping[str, str]
    marks: Mapping[str, int]


def sheets(path: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of the sheets of an Office Open XML workbook, cells by column letters."""
    with zipfile.ZipFile(path) as book:
        strings = [
            "".join(text.text or "" for text in entry.iter(f"{_SHEET}t"))
            for entry in ElementTree.fromstring(book.read("xl/sharedStrings.xml"))  # noqa: S314 - named above
        ]
        relations = {
            each.get("Id"): each.get("Target")
            for each in ElementTree.fromstring(book.read("xl/_rels/workbook.xml.rels"))  # noqa: S314
        }
        found = {}
        for sheet in ElementTree.fromstring(book.read("xl/workbook.xml")).iter(f"{_SHEET}sheet"):  # noqa: S314
            target = next(value for key, value in sheet.attrib.items() if key.endswith("}id"))
            rows = []
            for row in ElementTree.fromstring(book.read(f"xl/{relations[target]}")).iter(f"{_SHEET}row"):  # noqa: S314
                cells = {}
                for cell in row:
                    value = cell.findtext(f"{_SHEET}v")
                    if value is not None:
                        column = (cell.get("r") or "").rstrip("0123456789")
                        cells[column] = strings[int(value)] if cell.get("t") == "s" else value
                rows.append(cells)
            found[sheet.get("name") or ""] = rows
    return found


def judged_segments(rows: Sequence[Mapping[str, str]]) -> Iterator[Judged]:
    """Segments with a labelled source, a reference and six marked outputs; others are left out."""
    block: list[Mapping[str, str]] = []
    for row in [*rows, {"A": "Sent:end"}]:
        if row.get("A", "").startswith("Sent:"):
            by_name = {each["B"]: each for each in block if "B" in each}
            text = {
                each.get("A"): each.get("C", "") for each in block if each.get("A") in ("source", "reference")
            }
            complete = set(by_name) >= set(SYSTEMS) and all(
                {"C", "E"} <= by_name[name].keys() and re.fullmatch(r"-?\d+(\.0)?", by_name[name]["E"])
                for name in SYSTEMS
            )
            if complete and text.get("reference") and _LABEL.search(text.get("source", "")):
                yield Judged(
                    text["source"],
                    text["reference"],
                    {name: " ".join(by_name[name]["C"].split()) for name in SYSTEMS},
                    {name: int(float(by_name[name]["E"])) for name in SYSTEMS},
                )
            block = []
        block.append(row)


def bench_of(segments: Sequence[Judged], name: str) -> Bench:
    """A bench of their pronouns; the words of the source are joined, for our own tokenizer."""
    items = []
    table = zero_pronouns()
    for number, segment in enumerate(segments):
        labelled = re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", segment.source)
        # Blanks around labels go as well.
        labelled = re.sub(r"\s*(<[^<>]*>_(?:Pa|[SOPR])(?:_n)?)\s*", r"\1", labelled)
        marks = list(_LABEL.finditer(labelled))
        restored, at = "", 0
        slots = []
        for mark in marks:
            restored += labelled[at : mark.start()]
            slots.append(Span(len(restored), len(restored) + len(mark[1])))
            restored, at = restored + mark[1], mark.end()
        restored += labelled[at:]
        for count, (mark, slot) in enumerate(zip(marks, slots, strict=True)):
            expected = table.expected(mark[1], mark[2])
            if mark[3] or not expected:
                continue
            items.append(
                BenchItem(
                    f"{number}.{count}",
                    (_LABEL.sub("", labelled),),
                    variants=(segment.reference,),
                    expected=expected,
                    wrong=table.wrong(mark[1]),
                    pronoun=mark[1],
                    slot=slot,
                    group=str(number),
                    restored=restored,
                )
            )
    return make_bench(name, PAIR, "mzprt", items, path=name)


def against_people(folder: Path, aligner: AlignerChoice) -> dict[str, object]:
    """Part 3: how often a rule and people agree that a segment recovers all its pronouns."""
    book = sheets(folder / "2_metric_azpt/human_score/M.S.human.xlsx")
    found: dict[str, object] = {}
    for domain, names in SHEETS.items():
        readings = [list(judged_segments(book[name])) for name in names]
        segments = readings[0]
        bench = bench_of(segments, domain)
        numbers = [int(item.group) for item in bench.items]
        marks = {
            (number, system): [reading[number].marks[system] < 0 for reading in readings]
            for number in set(numbers)
            for system in SYSTEMS
        }
        result: dict[str, object] = {"segments": len(set(numbers)), "pronouns": len(numbers)}
        # Judged together, so that the aligner sees all systems, as it does in `anaphor score`.
        joined = make_bench(
            domain,
            PAIR,
            "mzprt",
            [_renamed(item, system) for system in SYSTEMS for item in bench.items],
            path=domain,
        )
        lines = [segments[number].outputs[system] for system in SYSTEMS for number in numbers]
        outcomes = judge_translations(joined, lines, aligner=aligner).outcomes
        for rule, of_rule in outcomes.items():
            flagged = dict.fromkeys(marks, False)
            places = [(number, system) for system in SYSTEMS for number in numbers]
            for place, outcome in zip(places, of_rule, strict=True):
                flagged[place] |= outcome is not BenchOutcome.RIGHT
            result[rule] = _agreement(flagged, {key: value[0] for key, value in marks.items()})
            if len(names) > 1:
                result[f"{rule}, second annotator"] = _agreement(
                    flagged, {key: value[1] for key, value in marks.items()}
                )
        if len(names) > 1:
            result["the annotators"] = _agreement(
                {key: value[0] for key, value in marks.items()},
                {key: value[1] for key, value in marks.items()},
            )
        found[domain] = result
        print(domain, json.dumps(result, ensure_ascii=False), flush=True)
    return found


def references(folder: Path) -> dict[str, object]:
    """Part 4: the outcomes of the references by domain and rule."""
    found: dict[str, object] = {}
    for path in sorted((folder / "1_testset_mzprt/raw").glob("*.zh")):
        bench = make_from_files("mzprt", [path, path.with_suffix(".en")])
        outcomes = judge_translations(bench, [item.variants[0] for item in bench.items]).outcomes
        found[path.stem] = {
            rule: dict(Counter(outcome.value for outcome in of_rule)) for rule, of_rule in outcomes.items()
        }
        print(path.stem, found[path.stem], flush=True)
    return found


def _renamed(item: BenchItem, system: str) -> BenchItem:
    return replace(item, id=f"{system}.{item.id}", group=f"{system}.{item.group}")


def _agreement(
    flagged: Mapping[tuple[int, str], bool], marked: Mapping[tuple[int, str], bool]
) -> dict[str, object]:
    """Precision and recall of flagged outputs, kappa, and the shares of systems with their correlation."""
    total = len(flagged)
    both = sum(flagged[key] and marked[key] for key in flagged)
    ours, theirs = sum(flagged.values()), sum(marked.values())
    agree = sum(flagged[key] == marked[key] for key in flagged) / total
    chance = (ours * theirs + (total - ours) * (total - theirs)) / total**2
    shares = {
        system: [
            round(sum(values[key] for key in values if key[1] == system) / (total / len(SYSTEMS)), 4)
            for values in (flagged, marked)
        ]
        for system in SYSTEMS
    }
    return {
        "outputs": total,
        "flagged": ours,
        "marked": theirs,
        "both": both,
        "precision": round(both / ours, 3) if ours else None,
        "recall": round(both / theirs, 3) if theirs else None,
        "kappa": round((agree - chance) / (1 - chance), 3) if chance < 1 else None,
        "systems": shares,
        "correlation": _pearson([pair[0] for pair in shares.values()], [pair[1] for pair in shares.values()]),
    }


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    means = sum(first) / len(first), sum(second) / len(second)
    spread = [
        sum((value - mean) ** 2 for value in side) for side, mean in zip((first, second), means, strict=True)
    ]
    if not all(spread):
        return None
    joint = sum((a - means[0]) * (b - means[1]) for a, b in zip(first, second, strict=True))
    return round(joint / math.sqrt(spread[0] * spread[1]), 3)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mzprt", type=Path, required=True, help="a copy of the repository")
    parser.add_argument("--model", type=Path, help="model of the aligner, from `anaphor align train`")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/")
    options = parser.parse_args()
    folder = options.mzprt.resolve()
    results: dict[str, object] = {
        "published": published(folder),
        **{f"program, {size} neighbours": program(folder, size) for size in (2, 3)},
    }
    results["references"] = references(folder)
    results["people"] = against_people(folder, AlignerChoice(pair=PAIR))
    if options.model is not None:
        results["people, with the model"] = against_people(
            folder, AlignerChoice(pair=PAIR, saved=options.model)
        )
    if options.write:
        text = json.dumps(results, ensure_ascii=False, indent=2)
        (HERE / "results/zero-pronouns.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
