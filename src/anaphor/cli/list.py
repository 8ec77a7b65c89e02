"""`anaphor list`: what there is to choose from."""

from __future__ import annotations

import argparse

EXAMPLES = """examples:
  anaphor list
  anaphor list --pair en-fr
  anaphor list --licences
  anaphor list --json"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pair", metavar="SRC-TGT", help="show the lists of one pair")
    parser.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    parser.add_argument(
        "--licences", action="store_true", help="show the licences of the package and of its models"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    if options.licences:
        from anaphor.cli.output import print_result
        from anaphor.licences import read_licences

        print_result(options, read_licences())
        return
    import json
    from pathlib import Path

    from anaphor.align import ALIGNERS
    from anaphor.core import LanguagePair
    from anaphor.engine import has_native
    from anaphor.languages import known_languages, known_pairs, load_pair
    from anaphor.metrics import METRICS

    folder = None if options.packs is None else Path(options.packs)
    if options.pair is None:
        content: dict[str, object] = {
            "metrics": list(METRICS),
            "aligners": list(ALIGNERS),
            "engine of the aligner": "compiled" if has_native() else "NumPy (no compiler at installation)",
            "pairs": list(known_pairs(folder)),
            "languages": list(known_languages(folder)),
        }
    else:
        pack = load_pair(LanguagePair.parse(options.pair), folder=folder)
        content = {
            "source pronouns": list(pack.source_pronouns),
            "target pronouns": list(pack.target_pronouns),
            "object pronouns": list(pack.object_pronouns),
            "identical": [" = ".join(group) for group in pack.identical],
            "equivalent": [
                " ~ ".join(one.forms) + ("" if one.probability is None else f" (p = {one.probability:g})")
                for one in pack.equivalent
            ],
            "digest": pack.digest,
        }
    if options.json:
        print(json.dumps(content, ensure_ascii=False, indent=2))
    else:
        for name, values in content.items():
            print(f"{name}: {', '.join(values) if isinstance(values, list) else values}")
