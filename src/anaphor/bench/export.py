"""Exports for other tools: lines to translate or score, and tasks for lm-evaluation-harness."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from anaphor.bench.items import Bench, BenchItem
from anaphor.bench.score_files import original_order
from anaphor.bench.scores import require_contrastive
from anaphor.core.table import Block, JsonFields, Paragraph, counted
from anaphor.files.writing import atomic_folder
from anaphor.predict.server.prompt import language_name

#: Between the sentences of a line with context, as in the files of ContraCAT.
SEPARATOR = " <SEP> "


@dataclass(frozen=True, slots=True)
class BenchExport(JsonFields):
    """Files that were written for another tool."""

    output: str
    set_name: str
    hash: str
    files: tuple[tuple[str, int], ...]

    json_keys: ClassVar[Mapping[str, str | None]] = {"set_name": "set"}

    def tables(self) -> list[Block]:
        lines = [f"{name}: {counted(size, 'line')}" for name, size in self.files]
        return [Paragraph([f"{self.output} ({self.set_name}, {self.hash})", *lines])]


def export_plain(
    bench: Bench, folder: str | Path, *, separator: str = SEPARATOR, seed: int = 1
) -> BenchExport:
    """Write the lines to translate and, for a contrastive set, those to score, with and without context.

    `source`, `source.context` and `source.random` have one line per item; `variants.source` and
    `variants.target`, also with `.context` and `.random`, have one line per variant, in the order expected
    for scores; `variants.ids` names the variants. `.random` files have the context of an item from another
    document, and are left out if there is none.

    Args:
        bench: The bench.
        folder: A new folder.
        separator: The separator between the sentences of a line with context.
        seed: The seed of the random contexts.

    Returns:
        The names and sizes of the files.

    Raises:
        UserError: The folder exists or cannot be written.
    """
    files: dict[str, list[str]] = {
        "source": [item.source[-1] for item in bench.items],
        "source.context": [separator.join(item.source) for item in bench.items],
    }
    others = _other_contexts(bench, seed)
    if others:
        files["source.random"] = [
            separator.join([*others[item.id].source[:-1], item.source[-1]]) for item in bench.items
        ]
    if bench.contrastive:
        rows = [(item, place) for item in bench.items for place in original_order(item)]
        files["variants.source"] = [item.source[-1] for item, _ in rows]
        files["variants.source.context"] = [separator.join(item.source) for item, _ in rows]
        files["variants.target"] = [item.variants[place] for item, place in rows]
        files["variants.target.context"] = [separator.join(item.target(place)) for item, place in rows]
        if others:
            files["variants.source.random"] = [
                separator.join([*others[item.id].source[:-1], item.source[-1]]) for item, _ in rows
            ]
            files["variants.target.random"] = [
                separator.join([*others[item.id].target(0)[:-1], item.variants[place]])
                for item, place in rows
            ]
        files["variants.ids"] = [f"{item.id}\t{place}" for item, place in rows]
    about = {"set": bench.name, "pair": str(bench.pair), "hash": bench.hash, "separator": separator}
    return _write(bench, folder, files, {"export.json": json.dumps(about, ensure_ascii=False) + "\n"})


def _other_contexts(bench: Bench, seed: int) -> dict[str, BenchItem]:
    """For each item, one whose context comes from another document; empty if an item has none."""
    # Without documents every item is one of its own.
    giving = [item for item in bench.items if len(item.source) > 1]
    documents = [item.document or item.id for item in giving]
    other_contexts: dict[str, BenchItem] = {}
    for item in bench.items:
        draw = random.Random(f"{seed}\n{item.id}")  # noqa: S311 - no secret depends on it
        here = item.document or item.id
        # Most draws succeed at once; a list of all others would be long for every item.
        places = [draw.randrange(len(giving)) for _ in range(20)] if giving else []
        choices = (place for place in (*places, *range(len(giving))) if documents[place] != here)
        place = next(choices, None)
        if place is None:
            return {}
        other_contexts[item.id] = giving[place]
    return other_contexts


def export_lm_eval(bench: Bench, folder: str | Path, *, seed: int = 1) -> BenchExport:
    """Write two tasks for lm-evaluation-harness, one with context and one without, and their items.

    Args:
        bench: The bench, whose items have at least two variants each.
        folder: A new folder, for `--include_path`; the tasks refer to their items by this path, so if it is
            relative, the harness must run in the same working folder.
        seed: The seed for the order of choices, which are shuffled because the harness breaks ties by
            position.

    Returns:
        The names and sizes of the files.

    Raises:
        UserError: An item has no wrong variant; the folder exists or cannot be written.
    """
    require_contrastive(bench)
    task = "anaphor_" + re.sub(r"\W+", "_", bench.name).strip("_").lower()
    lines = []
    for item in bench.items:
        order = list(range(len(item.variants)))
        random.Random(f"{seed}\n{item.id}").shuffle(order)  # noqa: S311 - no secret depends on it
        about = {"id": item.id, "set_hash": bench.hash, "order": order, "answer": order.index(0)}
        with_context = _lm_eval_texts(bench, item, order, context=True)
        without = _lm_eval_texts(bench, item, order, context=False)
        names = ("prompt", "choices", "prompt_sentence", "choices_sentence")
        lines.append(about | dict(zip(names, (*with_context, *without), strict=True)))
    items = [json.dumps(line, ensure_ascii=False) for line in lines]
    path = Path(folder) / "items.jsonl"
    tasks = {
        f"{task}{suffix}.yaml": _task(bench, f"{task}{suffix}", path, f"prompt{column}", f"choices{column}")
        for suffix, column in (("", ""), ("_sentence", "_sentence"))
    }
    return _write(bench, folder, {"items.jsonl": items}, tasks)


def _lm_eval_texts(
    bench: Bench, item: BenchItem, order: Sequence[int], *, context: bool
) -> tuple[str, list[str]]:
    """The prompt, which ends before the tested sentence or before contexts that differ, and the choices."""
    source = " ".join(item.source if context else item.source[-1:])
    shared = item.context if context and not item.contexts else ()
    prompt = f"{language_name(bench.pair.source)}: {source}\n{language_name(bench.pair.target)}:"
    choices = [
        " ".join(item.target(at) if context and item.contexts else (item.variants[at],)) for at in order
    ]
    return " ".join((prompt, *shared)), choices


def _task(bench: Bench, name: str, items: Path, prompt: str, choices: str) -> str:
    # JSON strings are YAML strings, whatever is in a path or a name.
    metadata = {"version": 1.0, "set": bench.name, "pair": str(bench.pair), "hash": bench.hash}
    return "\n".join(
        [
            f"task: {name}",
            "dataset_path: json",
            f"dataset_kwargs: {json.dumps({'data_files': {'test': str(items)}})}",
            "test_split: test",
            "output_type: multiple_choice",
            f"doc_to_text: {prompt}",
            f"doc_to_choice: {choices}",
            "doc_to_target: answer",
            'target_delimiter: " "',
            "metric_list:",
            *(
                f"  - metric: {metric}\n    aggregation: mean\n    higher_is_better: true"
                for metric in ("acc", "acc_norm")
            ),
            f"metadata: {json.dumps(metadata)}",
            "",
        ]
    )


def _write(
    bench: Bench, folder: str | Path, files: Mapping[str, Iterable[str]], others: Mapping[str, str]
) -> BenchExport:
    sizes = []
    with atomic_folder(folder) as temporary:
        for name, lines in files.items():
            listed = list(lines)
            content = "".join(f"{line}\n" for line in listed)
            (temporary / name).write_text(content, encoding="utf-8", newline="\n")
            sizes.append((name, len(listed)))
        for name, content in others.items():
            (temporary / name).write_text(content, encoding="utf-8", newline="\n")
            sizes.append((name, content.count("\n")))
    return BenchExport(str(folder), bench.name, bench.hash, tuple(sizes))
