"""`anaphor annotate`: annotators judge pronouns in the browser. Every subcommand is a module of its own."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor annotate init campaign.db --suite my-suite --candidate old.fr new.fr --annotators ann bob
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate link campaign.db --add ann bob
  anaphor annotate serve campaign.db
  anaphor annotate status campaign.db
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate approve campaign.db --suite my-suite --output my-suite-2
  anaphor annotate backup campaign.db --output campaign-friday.db

DATABASE is a file, or the address of a PostgreSQL database: postgresql://USER@HOST/DATABASE"""

COMMANDS = {
    "init": "make a campaign: who judges which items of which systems",
    "serve": "serve the pages of a campaign on this machine and open the browser",
    "link": "list, make and revoke personal links",
    "grow": "add systems and items to a running campaign, or draw a larger sample",
    "annotator": "add annotators to a running campaign, or end their access",
    "lead": "add a lead, or change a lead's password",
    "status": "progress, agreement, speed, and how many more judgements are needed",
    "export": "write answers for anaphor meta and estimate, for PROTEST and for third-party tools",
    "import": "import answers from a file; existing answers are never overwritten",
    "merge": "merge copies of the database that were annotated offline",
    "approve": "write the suite with the translations that annotators approved",
    "backup": "copy the database while annotators go on",
    "check": "check that a campaign is consistent, or bring it to the newest schema",
    "repair": "move rows that cannot be read out of a campaign",
}
