"""`anaphor task`: the shared task of pronoun prediction, from parallel text to scores."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor task score dev.tsv predictions.tsv --pair en-fr
  anaphor task score dev.tsv a.tsv b.tsv --pair en-fr --paired --documents dev.doc-ids
  anaphor task published --pair en-de --year 2017
  anaphor task compare dev.tsv predictions.tsv --pair en-fr --year 2017

`anaphor task JOB --help` has examples of each job; docs/task/ describes files, scorer and results."""

COMMANDS = {
    "prepare": "make a file of the prediction task from parallel text",
    "lm": "train an n-gram language model and predict pronouns with it, as the official baseline did",
    "score": "score predicted classes: confusion matrix, accuracy, precision, recall and F1",
    "published": "show the published results of a sub-task",
    "compare": "put scores of predictions beside the published results of a sub-task",
}
