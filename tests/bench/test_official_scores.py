"""The official rules for scores, on the sets themselves: computed a second time from the original files.

The second computations follow the scripts of the sets: `evaluate.py` of ContraPro and DiscEvalMT, in which
the correct line comes first and must be strictly lower, and Voita's `evaluate_consistency.py`, which takes
the first of the lowest.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from pathlib import Path

from anaphor.bench.catalogue import make_from_files
from anaphor.bench.items import BenchOutcome
from anaphor.bench.scores import evaluate_scores, read_scores


def write_scores(path: Path, size: int) -> list[int]:
    """Costs from a small range, so that there are ties."""
    draw = random.Random(7)
    values = [draw.randrange(1, 9) for _ in range(size)]
    path.write_text("".join(f"{value}\n" for value in values))
    return values


def test_disceval_by_type_and_by_block(data_dir: Path, tmp_path: Path) -> None:
    """200 items in 50 blocks; m.sg, f.sg, m.pl and f.pl, correct or semi-correct."""
    path = data_dir / "contrastive-bawden-en-fr" / "anaphora.json"
    bench = make_from_files("disceval-anaphora", [path])
    values = iter(write_scores(tmp_path / "scores", 400))
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    blocks = 0
    for block in json.loads(path.read_text(encoding="utf-8")).values():
        won = []
        for example in block["trg"]:
            degree = "semi-correct" if "semi-correct" in example else "correct"
            won.append(next(values) < next(values))
            right[f"{example['type']} {degree}"] += won[-1]
            total[f"{example['type']} {degree}"] += 1
        blocks += all(won)
    (found,) = evaluate_scores(bench, {"a": read_scores(tmp_path / "scores", bench)}).scores
    assert found.total.items == 200
    assert found.total.right == sum(right.values())
    assert found.counts[BenchOutcome.TIE] > 0
    assert {one.name: (one.right, one.items) for one in found.parts["category"]} == {
        name: (right[name], total[name]) for name in total
    }
    assert found.blocks is not None
    assert (found.blocks.right, found.blocks.items) == (blocks, 50)


def test_contrapro_by_pronoun_and_distance(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "contrapro-en-de" / "modified_contrapro_subset.maria.json.gz"
    items = json.loads(gzip.decompress(path.read_bytes()))
    bench = make_from_files("contrapro", [path])
    values = iter(write_scores(tmp_path / "scores", sum(1 + len(item["errors"]) for item in items)))
    right: dict[str, Counter[str]] = {"pronoun": Counter(), "distance": Counter()}
    for item in items:
        won = next(values) < min([next(values) for _ in item["errors"]])
        distance = item["ante distance"]
        right["pronoun"][f"{item['src pronoun']}:{item['ref pronoun']}".lower()] += won
        right["distance"][str(distance) if distance <= 3 else ">3"] += won
    (found,) = evaluate_scores(bench, {"a": read_scores(tmp_path / "scores", bench)}).scores
    assert found.total.items == len(items) == 3848
    for part, counts in right.items():
        assert {one.name: one.right for one in found.parts[part]} == counts
        assert found.total.right == sum(counts.values())


def test_voita_takes_the_first_of_the_lowest(tmp_path: Path) -> None:
    """The set is not here: sentences of its format, with the correct one in any place."""
    draw = random.Random(3)
    items = [
        {
            "src": f"Tea {at} ? _eos Drink it .",
            "dst": [f"Чай {at} ? _eos Выпей {word} ." for word in ("его", "её", "их")],
            "true_ind": draw.randrange(3),
            "ctx_dist": 1 + at % 3,
        }
        for at in range(60)
    ]
    (tmp_path / "set.json").write_text(json.dumps(items), encoding="utf-8")
    bench = make_from_files("voita", [tmp_path / "set.json"])
    values = iter(write_scores(tmp_path / "scores", 180))
    right: Counter[str] = Counter()
    for item in items:
        costs = [next(values) for _ in range(3)]
        right[str(item["ctx_dist"])] += costs.index(min(costs)) == item["true_ind"]
    official, strict = evaluate_scores(bench, {"a": read_scores(tmp_path / "scores", bench)}).scores
    assert {one.name: one.right for one in official.parts["distance"]} == right
    assert strict.total.right < official.total.right
