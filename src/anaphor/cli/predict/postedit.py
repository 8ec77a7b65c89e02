"""`anaphor predict postedit`: other pronouns proposed for a translation."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.cli.predict import options as shared
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError

EXAMPLES = """examples:
  anaphor predict postedit --pair en-fr --source src.en --candidate mt.fr --documents docs
  anaphor predict postedit --pair en-de --source src.en --candidate mt.de --threshold 0.9 --json
  anaphor predict postedit --pair es-en --source src.es --candidate mt.en --report proposals.html
  anaphor predict postedit --pair fr-en --source src.fr --candidate mt.en --diff > mt.en.patch
  anaphor predict postedit --pair de-en --source src.de --candidate mt.en --apply --output edited.en

Pairs with shipped models: en-fr, en-de, en-es, fr-en, de-en, es-en. Texts that are clearly in other languages
are rejected. In translations into French, German and Spanish, only pronouns that `accept` rejects are
replaced, by the form that it rates highest; in translations into English, the predictor alone decides. The
candidate is never changed; --apply writes an edited copy. Only pronouns, adjacent elisions and English verbs
are edited; other words that may have to agree are listed as warnings. Without --documents all lines are one
document."""


def configure(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files("--source", required=True, metavar="FILE", help="source text, one segment per line")
    files("--candidate", required=True, metavar="FILE", help="its translation")
    files("--documents", metavar="FILE", help="one document id per line, or start lines")
    files("--alignment", metavar="FILE", help="alignment links between their tokens (default: computed)")
    files("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    how = parser.add_argument_group("prediction").add_argument
    how("--pair", metavar="SRC-TGT", help="language pair; needed unless the model is for one pair")
    how("--model", metavar="MODEL", help="name or folder (default: the model shipped for the pair)")
    how("--threshold", type=float, metavar="P", help="minimum probability (default 0.85; into English 0.9)")
    how("--tokenized", action="store_true", help="the texts are already tokenized: keep their tokens")
    group = parser.add_argument_group("output")
    group.add_argument("--apply", action="store_true", help="write the edited candidate to --output")
    group.add_argument("--output", metavar="FILE", help="file for the edited candidate")
    group.add_argument("--report", metavar="FILE", help="also write the proposals as an HTML page to FILE")
    group.add_argument("--diff", action="store_true", help="print only a unified diff, for patch")
    add_output(group)


def run(options: argparse.Namespace) -> None:
    from anaphor.core import Settings
    from anaphor.corpus import read_alignments, read_documents, read_text
    from anaphor.evaluation.postediting import find_postedit_model, postedit
    from anaphor.files.writing import write_atomically
    from anaphor.predict.postedit.proposals import check_threshold
    from anaphor.predict.shipped import default_model

    if options.threshold is not None:
        check_threshold(options.threshold)
    if options.apply != (options.output is not None):
        raise OptionError(
            "--apply and --output belong together",
            where="--apply, --output",
            fix="use both: --apply --output FILE; or neither, to see the proposals only",
        )
    if options.diff and options.json:
        raise OptionError("two formats are given", where="--diff, --json", fix="choose one of them")
    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading the model")
        name = options.model or default_model(options.pair)
        shared.check_trained(name)
        model = find_postedit_model(name, pair=options.pair)
        progress("reading")
        candidate, source = read_text(options.candidate), read_text(options.source)
        segments = len(source.lines)
        result = postedit(
            model,
            Settings.of(
                pair=options.pair or model.card.pair, tokenized=options.tokenized, packs=options.packs
            ),
            name=name,
            source=source,
            candidate=candidate,
            documents=options.documents and read_documents(options.documents, segments=segments),
            links=options.alignment and read_alignments(options.alignment, segments=segments),
            threshold=options.threshold,
            progress=progress,
        )
    if options.report:
        from anaphor.pages.postedit import postedit_page

        write_atomically(options.report, postedit_page(result))
    if options.apply:
        write_atomically(options.output, "\n".join(result.lines) + "\n")
    if options.diff:
        print("".join(f"{line}\n" for line in result.diff()), end="")
    else:
        print_result(options, result)
