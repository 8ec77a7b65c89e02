"""A language model as the judge of pronouns: short questions about one pronoun at a time.

    case ─▶ inquiry: prompts with numbered choices ─▶ server or cache ─▶ answers ─▶ verdict and reason

It is an alternative source of verdicts to `accept` and never silently replaces its numbers.
"""

from anaphor.judge.inquiry import Inquiry, Questions, RenderingComparison, inquiry_of, sentence_of
from anaphor.judge.interview import Interview, confirmed_server, name_server
from anaphor.judge.prompts import PROMPT_VERSION, CaseTexts, Marked, prompt_digest

__all__ = [
    "PROMPT_VERSION",
    "CaseTexts",
    "Inquiry",
    "Interview",
    "Marked",
    "Questions",
    "RenderingComparison",
    "confirmed_server",
    "inquiry_of",
    "name_server",
    "prompt_digest",
    "sentence_of",
]
