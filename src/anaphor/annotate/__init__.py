"""Campaigns in which people judge pronouns: who is asked what, every answer kept, and back into scores.

Read in this order: `nouns` (what is asked and answered), `schema` and `store` (the database), `create` (from
a suite to a campaign), `answers` (saving without losing), `views` (what a page shows), `merging` and
`exchange` (files in and out). `web` is the page.
"""
