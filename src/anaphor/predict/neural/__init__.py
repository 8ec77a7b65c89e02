"""The neural systems of 2016 and 2017, one file an architecture; `torch` is imported when one is built.

The way of the data: `scenes` (segments as arrays, words still strings) -> `vocabulary` (numbers of words) ->
`tensors` (the same on a device) -> an architecture (`turku`, `ukyoto`, `uppsala`, `nyu`, `latent`,
`convolution`) inside the loop of `learning`.
"""
