"""Forms of address in speeches, compared with how the cast says that speaker and listener address each
other.
"""

from __future__ import annotations

from collections.abc import Iterator

from anaphor.check.cast.address import address_forms
from anaphor.check.cast.referents import Speech
from anaphor.check.cast.row import RowView
from anaphor.check.findings import Finding
from anaphor.core.text import VERBS

#: How probable it is that a form of address is wrong where it contradicts the cast.
_ADDRESS = 0.85
#: Endings and forms of Spanish verbs that only *tú* has.
_FAMILIAR_ENDINGS = ("ás", "aste", "iste")
_FAMILIAR_VERBS = frozenset({"eres", "estás", "has", "vas", "vienes", "tienes", "quieres", "puedes", "sabes"})


def address_findings(row: RowView) -> Iterator[Finding]:
    """Forms of address that contradict the cast's entry for speaker and listener."""
    if not row.cast.address:
        return
    for speech in row.speeches:
        wanted = {
            row.cast.address_of(speaker, listener)
            for speaker in row.members(speech.speakers)
            for listener in row.members(speech.listeners)
        }
        if len(wanted) != 1 or "" in wanted or speech.several:
            continue
        (form,) = wanted
        inside = _target_range(row, speech.start, speech.end)
        words = row.tokens[speech.start : speech.end]
        uses = [
            *address_forms(row.target, row.tags, row.forms, words),
            *_addressing_verbs(row, speech),
        ]
        for at, used in sorted(uses):
            if used != form and at in inside and at not in row.marked:
                speaker, listener = row.members(speech.speakers)[0], row.members(speech.listeners)[0]
                reason = (
                    f"{speaker.name} addresses {listener.name} with the {form} form; "
                    f"*{row.target[at]}* is {used}"
                )
                yield row.finding(at, None, [listener], reason, _ADDRESS)
                break  # one finding for a speech: its other forms follow


def _addressing_verbs(row: RowView, speech: Speech) -> Iterator[tuple[int, str]]:
    """Spanish verbs whose subject *you* is dropped: *tienes*, *tiene*."""
    if row.language != "es":
        return
    if "you" not in {token.lower() for token in row.tokens[speech.start : speech.end]}:
        return
    tags = row.tags
    for at, word in enumerate(row.folded):
        finite = tags[at] in VERBS
        sources = [s for s in row.back.get(at, ()) if speech.start <= s < speech.end]
        of_you = any(_is_said_of_you(row, source, speech.start) for source in sources)
        # These endings have no other person, so that no link is needed.
        only_familiar = word in _FAMILIAR_VERBS or (finite and word.endswith(_FAMILIAR_ENDINGS))
        if only_familiar or (finite and of_you and word.endswith(("as", "es")) and word != "es"):
            yield at, "familiar"
        elif of_you and (word == "es" or (finite and not word.endswith(("n", "s")))):
            begins = at == 0 or tags[at - 1] == "PUNCT"
            if begins or at in row.analysis.null_subjects:
                yield at, "formal"


def _is_said_of_you(row: RowView, verb: int, start: int) -> bool:
    """Whether *you* is the subject of a verb of the source."""
    tags, tokens = row.source_tags, row.tokens
    if tokens[verb].lower() == "you":
        return True
    if tags[verb] not in ("VERB", "AUX", "ADJ"):
        return False
    at = verb - 1
    while at >= start and tags[at] in ("AUX", "ADV", "PART", "VERB"):
        at -= 1
    inverted = tags[verb] == "AUX" and verb + 1 < len(tokens) and tokens[verb + 1].lower() == "you"
    return inverted or (at >= start and tokens[at].lower() == "you")


def _target_range(row: RowView, start: int, end: int) -> range:
    """The target tokens of a speech: all, or those inside quotation marks."""
    if start == 0 and end == len(row.tokens):
        return range(len(row.target))
    linked = [t for at in range(start, end) for t in row.links.get(at, ())]
    return range(min(linked), max(linked) + 1) if linked else range(0)
