"""`anaphor estimate`: annotators judge a sample, and the true accuracy of all is estimated."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor score ... --output result.json --items items.tsv
  anaphor estimate plan result.json --items items.tsv --budget 200 --output plan.json
  anaphor estimate run result.json --plan plan.json --judgements judged.tsv

docs/semi-automatic.md describes files and estimators, and evaluates them by simulation."""

COMMANDS = {
    "plan": "choose the items that annotators should judge, and write them as a plan",
    "run": "estimate accuracy by system, category and case, and say how many more to judge",
}
