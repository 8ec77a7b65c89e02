"""The neural systems of 2016 and 2017, one module per architecture; `torch` is imported when one is built.

Data flows from `contexts` (segments as arrays, words still strings) through `vocabulary` (words as numbers)
and `tensors` (the same on a device) to an architecture (`turku`, `ukyoto`, `uppsala`, `nyu`, `latent`,
`convolution`), which `training` fits and `model` saves, loads and runs. `families` reads the recipes.
"""
