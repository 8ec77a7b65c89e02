"""anaphor-2: a compact Transformer that reads a few sentence pairs with hidden target pronouns.

Read in this order: `subwords` (splitting words), `encoding` (segments as arrays), `windows` (sentences that
are read together), `network` (the forward pass in NumPy; `native` is the compiled version), `inference`
(probabilities at slots), `joint` (several sub-tasks in one file) and `model` (predictor and family). Only
`training` and `torch_network` need torch.
"""
