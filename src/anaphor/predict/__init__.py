"""Predictors: models that say which pronoun a translation needs, from training to explanations."""
