"""Annotation campaigns: people judge pronouns in the browser, and their answers go back into scores.

Read in this order: `types` (what is asked and answered), `store` (the database), `campaign` (from a suite to
assignments), `judging` (saving answers without losing any, views, adjudication), `analysis` (agreement,
progress, approval), `exchange` (files, merging), `web` (the pages). `rules` has the consistency rules of
PROTEST, `maintenance` backup and checks.
"""
