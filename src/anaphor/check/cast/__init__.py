"""The cast of a story or a game: read from a file, compared with a translation, or drafted from one."""

from anaphor.check.cast.contradictions import cast_findings
from anaphor.check.cast.members import Address, Cast, Member, read_cast

__all__ = ["Address", "Cast", "Member", "cast_findings", "read_cast"]
