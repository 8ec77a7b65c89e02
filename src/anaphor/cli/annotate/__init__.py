"""`anaphor annotate`: people judge pronouns in the browser. Each job is a module of its own."""

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
    "serve": "serve the page of a campaign on this machine and open the browser",
    "link": "list, make and revoke personal links",
    "annotator": "add annotators to a campaign that runs, or let one in no more",
    "lead": "add a lead, or give one another password",
    "status": "progress, agreement, speed, and how many more judgements are needed",
    "export": "write answers for anaphor meta and estimate, for PROTEST and for other tools",
    "import": "bring in answers from a file; nothing that is there is ever overwritten",
    "merge": "merge copies of the database that people annotated offline",
    "approve": "write the suite with the translations that people approved",
    "backup": "copy the database while people go on annotating",
    "check": "check that a campaign holds together, or bring it to the newest schema",
}
