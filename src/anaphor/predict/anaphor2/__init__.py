"""anaphor-2: a compact Transformer over a few sentence pairs whose target pronouns are hidden.

Read in this order: `subwords` (words in pieces), `encoding` (segments as arrays), `windows` (the sentences
that are read together), `network` (the forward pass in NumPy; `native` is the same compiled), `inference`
(probabilities at slots), `joint` (several sub-tasks in one file) and `model` (predictor and family). Only
`training` and `torch_network` need torch.
"""
