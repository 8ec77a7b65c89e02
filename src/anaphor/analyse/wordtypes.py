"""What the spelling of a word shows, whatever stands around it."""

from __future__ import annotations

#: Names of the features of a word, in the order in which `features_of` gives them.
FEATURES = ("word", "ending 2", "ending 3", "ending 4", "beginning 3", "shape")


def plain(form: str) -> str:
    """The form in lower case, with a straight apostrophe and without the hyphen of inversion (*-il*)."""
    folded = form.lower().replace("’", "'").replace("ʼ", "'")
    return folded.lstrip("-") or folded


def features_of(form: str) -> tuple[str, ...]:
    """One string for each of `FEATURES`; equal strings share a row of weights."""
    word = plain(form)
    return (
        f"w:{word}",
        f"2:{word[-2:]}",
        f"3:{word[-3:]}",
        f"4:{word[-4:]}",
        f"<:{word[:3]}",
        f"s:{shape(form)}",
    )


def shape(form: str) -> str:
    """How a form is written: a name for its letters, digits and hyphens."""
    if form.isalpha():  # most are, and need not be looked at letter by letter
        return _case(form)
    if not any(letter.isalnum() for letter in form):
        return "punctuation"
    if any(letter.isdigit() for letter in form):
        return "number" if not any(letter.isalpha() for letter in form) else "digits"
    case = _case(form)
    if form.startswith("-"):
        return f"inverted {case}"
    if form.endswith(("'", "’")):
        return f"elided {case}"
    return f"joined {case}" if "-" in form else case


def _case(form: str) -> str:
    if form.islower() or not any(letter.isupper() for letter in form):
        return "lower"
    if form.isupper():
        return "letter" if len(form) == 1 else "upper"
    return "title" if form[0].isupper() and form[1:].islower() else "mixed"
