"""Build a suite from parallel documents.

Read in this order: `documents` and `mmax2` (what goes in), `candidates` and `antecedents` (source pronouns),
`projection` (their translations in the references), `selection` (which ones a plan takes), `builder` (all of
it together).
"""
