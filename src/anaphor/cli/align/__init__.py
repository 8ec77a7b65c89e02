"""`anaphor align`: word alignment, from text to links and from links to their quality."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor align run --pair en-fr --source src.en --target ref.fr --output ref.align
  anaphor align run --pair en-fr ... --train more.en.gz more.fr.gz --scores ref.scores
  anaphor align run --pair en-fr ... --aligner eflomal --symmetrize intersection
  anaphor align run --pair en-de ... --aligner mgiza --method hmm --backoff fast_align
  anaphor align train --pair en-fr --source more.en.gz --target more.fr.gz --save en-fr.model
  anaphor align train --pair en-fr --source 'part-*.en.gz' --target 'part-*.fr.gz' --cluster local:4 --save m
  anaphor align run --pair en-fr ... --model en-fr.model
  anaphor align evaluate --gold gold.txt --alignment ref.align
  anaphor align evaluate --gold items.jsonl --gold-layout pronoun-links --align
  anaphor align evaluate --gold gold.tsv --gold-layout xl-wa --pair en-es --align --train m.en.gz m.es.gz

Links are source-target, such as `0-0 1-2`: one segment per line, tokens counted from 0."""

COMMANDS = {
    "run": "align two files and print the links, one segment per line",
    "train": "train a model on two files and save it",
    "evaluate": "compare links with a gold alignment",
}
