"""`anaphor bench`: public pronoun test sets. Each job is a module of its own; a new one is a line below."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor bench list
  anaphor bench check disceval-anaphora anaphora.json
  anaphor bench make disceval-anaphora anaphora.json --output my-bench.jsonl
  anaphor bench export my-bench.jsonl --plain lines
  anaphor bench score my-bench.jsonl --scores old.scores new.scores --format marian --paired
  anaphor bench score my-bench.jsonl --translations old.fr new.fr --paired
  anaphor bench import my-bench.jsonl --scores samples.jsonl --output results.jsonl
  anaphor bench context my-bench.jsonl --with context.scores --without sentence.scores"""

COMMANDS = {
    "list": "list the public test sets that can be read, their licences, and where to get them",
    "check": "compare the files of a set with known hashes and counts",
    "make": "make a bench from the original files of a public test set",
    "score": "judge the items of a set by scores of variants, translations, or choices of language models",
    "context": "show which items a system wins and loses by its context, with CXMI where it is known",
    "export": "write lines to translate or score, tasks for lm-evaluation-harness, or prompts",
    "import": "check results of other tools against the set, and keep them in one format",
}
