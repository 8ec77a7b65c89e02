"""The same model segment by segment, in several turns, and on whole documents: APT and the verdict `accept`.

Data: `wmt24-en-de` (998 segments, 171 documents, two references), outputs of two language models of the
multi-turn study (ZurichNLP/multiturn-llm-docmt). Whole documents are cut by `anaphor.segment`; the outputs of
the other modes came with one text per segment and are scored as they came, with their chatter.

    ANAPHOR_DATA=... python benchmarks/segment/modes.py [--save]
    ANAPHOR_DATA=... python benchmarks/segment/modes.py --findings > findings.tsv
    ANAPHOR_DATA=... python benchmarks/segment/modes.py --planted [--save]

`--findings` prints everything found in the whole-document outputs, for a reader to judge;
`results/findings-read.tsv` has the judgements of one reader, without any text. `--planted` deletes, repeats,
swaps, merges and adds sentences in the same outputs, and counts what is found.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import anaphor
from anaphor.core import LanguagePair
from anaphor.segment.candidate import SegmentedCandidate, segment_candidate
from anaphor.segment.whole_documents import whole_documents_of

sys.path.append(str(Path(__file__).parent))
from run import damaged  # type: ignore[attr-defined]

MODELS = ("gpt-4o-mini", "Qwen2.5-7B-Instruct")
MODES = {
    "seg": "segment by segment",
    "mturn": "several turns",
    "mturn_context": "several turns, source first",
    "single": "whole document",
}
RESULT = Path(__file__).parent / "results" / "modes.jsonl"


def read_set() -> dict[str, str]:
    """Every text of the set by its path inside the archive."""
    archive = Path(os.environ["ANAPHOR_DATA"]) / "wmt24-en-de" / "texts.tar.gz"
    with tarfile.open(archive) as packed:
        return {
            one.name.removeprefix("./"): packed.extractfile(one).read().decode()  # type: ignore[union-attr]
            for one in packed
            if one.isfile()
        }


def outputs(files: dict[str, str], model: str, mode: str) -> list[str]:
    """One text per document for `single`, one per segment for the others."""
    records = [json.loads(line) for line in files[f"language-models/{model}.{mode}.jsonl"].splitlines()]
    if mode == "single":
        return [record["translation"] for record in records]
    parts = (record["translation_split"] for record in records)
    # The first record, a canary, has a string in place of a list.
    return [" ".join(text.split()) for part in parts for text in ([part] if isinstance(part, str) else part)]


def segmented(files: dict[str, str], documents: list[str]) -> Iterator[tuple[str, SegmentedCandidate]]:
    """The whole-document outputs of each model, cut."""
    source = files["sources/en-de.txt"].splitlines()
    for model in MODELS:
        whole = whole_documents_of(outputs(files, model, "single"), documents, name=model)
        yield model, segment_candidate(source, documents, whole, LanguagePair("en", "de"))


def print_findings(candidates: Iterable[tuple[str, SegmentedCandidate]]) -> None:
    """What was found in the whole-document outputs, as a table with texts."""
    print("model", "document", "kind", "segment", "start", "end", "confidence", "quote", sep="\t")
    for model, candidate in candidates:
        for one in candidate.findings:
            place = (one.segment, one.start, one.end, one.confidence)
            cells = ("-" if value is None else value for value in place)
            print(model, one.document, one.kind, *cells, " ".join(one.quote.split()), sep="\t")


def planted(candidates: Iterable[tuple[str, SegmentedCandidate]]) -> dict[str, Mapping[str, float]]:
    """What is found of damage made in the outputs of documents in which nothing was found before.

    Their segments are those of the cuts that are checked, so that these are taken to be right.
    """
    found = {}
    for model, candidate in candidates:
        clean = [
            ([candidate.source[segment] for segment in one.segments], list(one.lines()))
            for one in candidate.documents
            if not any(one.findings(candidate.source)) and len(one.segments) > 1
        ]
        found[model] = damaged(clean, "en-de", 0.2, rounds=4)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument(
        "--findings", action="store_true", help="print what was found in whole documents instead"
    )
    parser.add_argument("--planted", action="store_true", help="damage whole documents, and look for it")
    options = parser.parse_args()
    files = read_set()
    documents = [line.split("\t")[1] for line in files["documents/en-de.docs"].splitlines()]
    if options.findings:
        print_findings(segmented(files, documents))
        return
    if options.planted:
        content = json.dumps(planted(segmented(files, documents)), indent=1)
        print(content)
        if options.save:
            RESULT.with_name("planted.json").write_text(content + "\n", encoding="utf-8")
        return
    rows = []
    for model in MODELS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report = anaphor.evaluate(
                source=files["sources/en-de.txt"].splitlines(),
                references=[files[f"references/en-de.ref{name}.txt"].splitlines() for name in "AB"],
                documents=documents,
                systems={mode: outputs(files, model, mode) for mode in MODES},
                whole_documents=["single"],
                pair="en-de",
                metrics=["apt", "accept"],
                paired=True,
                segmentation_sensitivity=True,
            )
        compared = {(one.metric, one.system): one for one in report.result.comparisons}
        for system in report.result.systems:
            row: dict[str, object] = {"model": model, "mode": MODES[system.name]}
            for score in system.scores:
                row[score.metric] = round(100 * score.value, 2)
                if score.interval is not None:
                    row[f"{score.metric}_interval"] = [
                        round(100 * end, 2) for end in (score.interval.low, score.interval.high)
                    ]
                if (other := compared.get((score.metric, system.name))) is not None:
                    row[f"{score.metric}_p"] = round(other.p_permutation, 4)
            row["cases"] = [round(system.scores[0].details[f"case_{number}"]) for number in range(1, 7)]
            rows.append(row)
        found = report.findings.get("segmentation_sensitivity")
        assert found is not None
        rows[-1]["outcomes that depend on the segmentation"] = [len(found.flips), found.pronouns]
        rows[-1]["notes"] = [
            str(one.message).partition(", the first")[0] for one in caught if "single" in str(one.message)
        ]
        rows[-1]["signature"] = str(report.result.systems[-1].scores[0].signature)
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    if options.save:
        RESULT.write_text(
            "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
