"""`anaphor suite`: test suites for pronouns. Each job is a module of its own; a new one is a line below."""

from __future__ import annotations

EXAMPLES = """examples:
  anaphor suite shipped
  anaphor suite shipped anaphor-en-fr --output my-suite
  anaphor suite show my-suite
  anaphor suite export my-suite --source to-translate.en
  anaphor suite evaluate my-suite --candidate old.fr new.fr --work-list todo.tsv
  anaphor suite approve my-suite --work-list todo.tsv --by "A. Judge" --output my-suite-2
  anaphor suite build --corpus DiscoMT/EN --reference human=DiscoMT/FR --pair en-fr --output my-suite
  anaphor suite check my-suite
  anaphor suite export my-suite --protest my-suite.db
  anaphor suite import my-suite.db --output my-suite-3"""

COMMANDS = {
    "evaluate": "judge candidates item by item, with matches per category",
    "check": "refuse a suite whose own references do not get full marks",
    "show": "show what a suite is made of, or single items in their text",
    "shipped": "list the suites that come with anaphor, or copy one",
    "approve": "accept the translations that annotators approved in a work list",
    "build": "choose the items of a plan from annotated or plain parallel documents",
    "import": "make a suite from a PROTEST database",
    "export": "write the source to translate, a PROTEST database, or the suite without its texts",
}
