"""`anaphor annotate`: annotators judge pronouns in the browser."""

from __future__ import annotations

from anaphor.cli.annotate import database, exchange, material, operation, people
from anaphor.cli.commands import Command

EXAMPLES = """examples:
  anaphor annotate demo
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
    "demo": Command(
        "serve a demo campaign with invented answers; nothing is saved",
        operation.configure_demo,
        operation.run_demo,
        operation.DEMO_EXAMPLES,
    ),
    "init": Command(
        "create a campaign, which defines who judges which items of which systems",
        material.configure_init,
        material.run_init,
        material.INIT_EXAMPLES,
    ),
    "serve": Command(
        "serve the pages of a campaign on this machine and open the browser",
        operation.configure_serve,
        operation.run_serve,
        operation.SERVE_EXAMPLES,
    ),
    "link": Command(
        "list, create and revoke personal links", people.configure_link, people.run_link, people.LINK_EXAMPLES
    ),
    "grow": Command(
        "add systems and items to a running campaign, or draw a larger sample",
        material.configure_grow,
        material.run_grow,
        material.GROW_EXAMPLES,
    ),
    "annotator": Command(
        "add annotators to a running campaign, or end their access",
        people.configure_annotator,
        people.run_annotator,
        people.ANNOTATOR_EXAMPLES,
    ),
    "lead": Command(
        "add a lead, or change a lead's password",
        people.configure_lead,
        people.run_lead,
        people.LEAD_EXAMPLES,
    ),
    "status": Command(
        "show progress, agreement, speed, and how many more judgements are needed",
        operation.configure_status,
        operation.run_status,
        operation.STATUS_EXAMPLES,
    ),
    "export": Command(
        "write answers for anaphor meta and estimate, for PROTEST and for third-party tools",
        exchange.configure_export,
        exchange.run_export,
        exchange.EXPORT_EXAMPLES,
    ),
    "import": Command(
        "import answers from a file; existing answers are never overwritten",
        exchange.configure_import,
        exchange.run_import,
        exchange.IMPORT_EXAMPLES,
    ),
    "merge": Command(
        "merge copies of the database that were annotated offline",
        exchange.configure_merge,
        exchange.run_merge,
        exchange.MERGE_EXAMPLES,
    ),
    "approve": Command(
        "write the suite with the translations that annotators approved",
        exchange.configure_approve,
        exchange.run_approve,
        exchange.APPROVE_EXAMPLES,
    ),
    "backup": Command(
        "copy the database while annotators keep working",
        operation.configure_backup,
        operation.run_backup,
        operation.BACKUP_EXAMPLES,
    ),
    "check": Command(
        "check that a campaign is consistent",
        database.add_database,
        operation.run_check,
        operation.CHECK_EXAMPLES,
    ),
    "repair": Command(
        "move unreadable rows out of a campaign",
        operation.configure_repair,
        operation.run_repair,
        operation.REPAIR_EXAMPLES,
    ),
}
