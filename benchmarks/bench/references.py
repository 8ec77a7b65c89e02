"""The self-check of the rule `linked`: references must be right and wrong variants must not.

    python benchmarks/bench/references.py [--deepl] [--write]

Every set under ANAPHOR_DATA is judged with its references as translations, then with its first wrong
variants; sets with context also with the whole reference joined into one line (`--whole`), from which the
tested sentence must be cut. `--deepl` judges DeepL's outputs on CTXPro by both rules instead. `--write` keeps
the table in README.md.
"""

from __future__ import annotations

import argparse
import gzip
import os
from pathlib import Path

from anaphor.bench import Bench, BenchOutcome, judge_translations, make_from_files

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
PAGE = HERE / "README.md"
PAPER = "ctxpro-paper/{}.opensubtitles.{}.test.json.gz"
SCAT = [f"scat-en-fr/highlighted.{{}}.{part}" for part in ("en", "fr", "context.en", "context.fr")]
SETS: dict[str, tuple[str, ...]] = {
    "ContraPro, *er* and *sie*": ("contrapro", "contrapro-en-de/modified_contrapro_subset.maria.json.gz"),
    "ContraPro with context, a quarter": (
        "contrapro-context",
        "contrapro-en-de/with-context.every-fourth.jsonl.gz",
    ),
    "English–French, a quarter": ("lopes-jsonl", "contrastive-lopes-en-fr/items.every-fourth.jsonl.gz"),
    "DiscEvalMT, anaphora": ("disceval-anaphora", "contrastive-bawden-en-fr/anaphora.json"),
    "DiscEvalMT, lexical choice": ("disceval-lexical", "contrastive-bawden-en-fr/lexical-choice.json"),
    "SCAT, valid": ("scat", *(part.format("valid") for part in SCAT)),
    "SCAT, train": ("scat", *(f"{part.format('train')}.gz" for part in SCAT)),
    "CTXPro en-es, gender, dev": ("ctxpro-gender", "ctxpro-en-es/gender.opensubtitles.en-es.dev.json.gz"),
    "CTXPro en-de, formality, of the paper": ("ctxpro-formality", PAPER.format("mini.formality", "en-de")),
    "CTXPro en-de, auxiliary": ("ctxpro-auxiliary", PAPER.format("auxiliary", "en-de")),
    "CTXPro en-fr, auxiliary": ("ctxpro-auxiliary", PAPER.format("auxiliary", "en-fr")),
}


def share(bench: Bench, lines: list[str], *, rule: str = "linked", whole: bool = False) -> float:
    outcomes = judge_translations(bench, lines, rules=(rule,), whole=whole).outcomes[rule]
    return 100 * outcomes.count(BenchOutcome.RIGHT) / len(outcomes)


def self_check() -> list[str]:
    rows = [
        "| set | items | references right | wrong variants right | joined: cut exactly | references right "
        "| wrong variants right |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, (name, *files) in SETS.items():
        bench = make_from_files(name, [DATA / file for file in files])
        variants = (0, 1) if bench.contrastive else (0,)
        alone = [share(bench, [item.variants[at] for item in bench.items]) for at in variants]
        joined: list[float] = []
        if any(item.context or item.contexts for item in bench.items):
            lines = [[" ".join(item.target(at)) for item in bench.items] for at in variants]
            cut = judge_translations(bench, lines[0], rules=("linked",), whole=True).sentences
            exact = sum(one.strip() == item.variants[0] for one, item in zip(cut, bench.items, strict=True))
            joined = [100 * exact / len(cut), *(share(bench, one, whole=True) for one in lines)]
        cells = [f"{value:.1f}" for value in alone] + [""] * (2 - len(alone))
        cells += [f"{value:.1f}" for value in joined] + [""] * (3 - len(joined))
        rows.append(f"| {title} | {len(bench.items):,} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def deepl() -> list[str]:
    rows = [
        "| | n | official, sentences | official, context | linked, sentences | linked, context |",
        "|---|---|---|---|---|---|",
    ]
    for name, pair in (("formality", "en-de"), ("auxiliary", "en-de"), ("auxiliary", "en-fr")):
        path = DATA / PAPER.format("mini.formality" if name == "formality" else name, pair)
        stem = path.name.removesuffix(".json.gz")
        inputs = path.with_name(f"{stem}.inputs.gz")
        bench = make_from_files(f"ctxpro-{name}", [path, inputs])
        cells = []
        for rule in ("official", "linked"):
            for kind in ("sentences", "contexts"):
                with gzip.open(path.with_name(f"deepl.{stem}.{kind}.gz"), "rt", encoding="utf-8") as file:
                    lines = file.read().split("\n")[:-1]
                cells.append(f"{share(bench, lines, rule=rule, whole=kind == 'contexts'):.1f}")
        rows.append(f"| {name} {pair} | {len(bench.items):,} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows


def write_table(script: str, rows: list[str]) -> None:
    """Put a table between the marks of a script in README.md."""
    start, end = f"<!-- figures: python benchmarks/bench/{script} --write -->", "<!-- end of figures -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(start)
    content = "\n".join(rows)
    PAGE.write_text(f"{before}{start}\n\n{content}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep the tables in README.md")
    parser.add_argument("--deepl", action="store_true", help="DeepL's outputs instead of references")
    options = parser.parse_args()
    rows = deepl() if options.deepl else self_check()
    if options.write:
        write_table("references.py --deepl" if options.deepl else "references.py", rows)


if __name__ == "__main__":
    main()
