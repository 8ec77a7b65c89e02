"""Ensembles: several models as one, by a weighted mean of their probabilities."""
