"""`anaphor predict`: the published systems of pronoun prediction, and ours, trained, run and compared."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor predict list --pair en-de
  anaphor predict show uu-stymne-2016
  anaphor predict train uu-stymne-2016 --pair en-fr --train train.tsv.gz --dev dev.tsv.gz --output stymne
  anaphor predict evaluate stymne test.tsv.gz
  anaphor predict postedit --pair en-fr --source src.en --candidate mt.fr --documents docs
  anaphor predict compare --pair en-fr --recipes baseline uhelsinki-2016 uu-stymne-2016 \\
      --train train.tsv.gz --dev dev.tsv.gz --test test.tsv.gz

docs/systems/ describes the recipes."""

#: Each command is the module of its name.
COMMANDS = {
    "list": "list the recipes and the shipped models",
    "show": "show a recipe's components, differences from the original, and published scores",
    "train": "train a recipe and write the model",
    "connect": "set up a language model behind a server as a predictor, without training",
    "detector": "combine a base model and an adapter into the large detector of wrong pronouns",
    "run": "predict the pronouns of a file with a trained model",
    "evaluate": "score a trained model on a file with labels",
    "compare": "train several recipes on the same data and compare their scores",
    "ensemble": "combine several trained models, with weights tuned on development data",
    "explain": "show the features or the words that decided a prediction",
    "postedit": "propose other pronouns for a translation, and apply them on request",
}
