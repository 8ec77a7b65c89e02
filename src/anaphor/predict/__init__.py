"""Predictors: models that predict which pronoun a translation needs, from training to explanations."""
