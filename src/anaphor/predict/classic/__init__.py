"""Classifiers and language models of the years before neural networks, behind one contract."""
