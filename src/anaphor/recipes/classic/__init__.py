"""Predictors from before neural networks: classifiers over features, CRFs and language models."""
