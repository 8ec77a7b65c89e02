"""anaphor-1: a compact Transformer over a few sentence pairs whose target pronouns are hidden.

Read in this order: `subwords` (words in pieces), `encoding` (segments as arrays), `windows` (which sentences
are seen together), `network` (the forward pass in NumPy), `joint` and `model` (the predictor), `family` (what
a recipe asks for). Only `training` and what it imports need torch.
"""
