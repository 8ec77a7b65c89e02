"""`anaphor meta`: meta-evaluation. Each command is a module of its own; a new one is a line below."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta gaps --answers gaps.tsv
  anaphor meta equivalents --pair en-fr --pairs judged.tsv --output equivalent.toml

`anaphor meta COMMAND --help` has examples of each command; docs/meta/ describes files and measures."""

COMMANDS = {
    "correlate": "correlate metrics with human scores, and test whether one metric correlates better",
    "cases": "compare the cases of APT with human judgements, by case and by category",
    "spans": "compare metrics with the pronouns that people marked as errors (MQM, ESA, DiaBLa, campaigns)",
    "published": "show the printed tables of apt-2017, guillou-hardmeier-2018 and protest-2016",
    "gaps": "score systems by the choices of annotators who filled the gaps of hidden pronouns",
    "equivalents": "propose equivalent pronouns from judged translations, and write them for a language pack",
}
