"""Annotation campaigns: people judge pronouns in the browser, and their answers feed back into scores.

Read in this order: `types` (questions and answers), `store` (the database), `campaign` (from a suite to
assignments), `judging` (safe saving of answers, views, adjudication), `analysis` (agreement, progress,
approval), `exchange` (files, merging), `web` (the pages). `rules` has the consistency rules of PROTEST,
`maintenance` backups and checks.
"""
