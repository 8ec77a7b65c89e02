"""The code and return address that a crowd platform expects from people who have finished."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from anaphor.core import OptionError

MAX_CODE = 100
MAX_URL = 2000
#: What stands for the name of the annotator in an address.
PERSON = "{person}"


def check_completion(code: str, url: str) -> None:
    """Refuse a code that cannot be shown, and an address that a browser should not be sent to."""
    if len(code) > MAX_CODE or not code.isprintable() or code != code.strip():
        fix = f"use up to {MAX_CODE} characters on one line"
        raise OptionError("the completion code cannot be shown", where="--completion-code", fix=fix)
    if not url:
        return
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    except ValueError:
        valid = False
    written = url.isascii() and url.isprintable() and not set(url) & set(" \"'<>\\^`|")
    if not valid or not written or PERSON in url.partition("?")[0] or len(url) > MAX_URL:
        what = f"invalid return address: {url!r:.80}"
        fix = "use one that begins with https:// or http://; {person} may occur after its ?"
        raise OptionError(what, where="--completion-url", fix=fix)


def return_address(url: str, person: str) -> str:
    """The address for one annotator, whose name is escaped."""
    return url.replace(PERSON, quote(person, safe=""))
