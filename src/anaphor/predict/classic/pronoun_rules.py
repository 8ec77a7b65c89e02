"""Rules for two cases that a model of genders and numbers cannot know, in the spirit of IDIAP's.

The findings paper says what the rules are for (*on*, and untranslated pronouns) and that they look at source
and target patterns, not what these are. The patterns below are grammar, written for this package.
"""

from __future__ import annotations

from anaphor.predict.features.head import head_of
from anaphor.predict.features.scene import Scene
from anaphor.task.classes import OTHER

#: What people in general do: *they say*, *they call it*.
_GENERAL = frozenset({"say", "call", "tell", "name", "speak", "think", "believe", "expect", "teach", "ask"})
_ON = "on"
#: The classes that rules speak of.
RULED = (OTHER, _ON)
#: Tags that can follow a French or German subject: its verb, or what stands between the two.
_BEHIND_SUBJECT = frozenset({"VERB", "AUX", "PRON", "ADV", "PART", "PRT"})


def ruled(scene: Scene, labels: tuple[str, ...]) -> str | None:
    """The class that a rule gives, of those that can be predicted; None where no rule applies."""
    if OTHER in labels and is_untranslated(scene):
        return OTHER
    if _ON in labels and is_general(scene):
        return _ON
    return None


def is_general(scene: Scene) -> bool:
    """*They* with a verb of saying or naming, and no noun in the plural before it in its sentence."""
    source, at = scene.here.source, scene.slot.source
    if scene.pronoun != "they" or at >= len(source.tags):
        return False
    head, _ = head_of(source, at)
    plural = any(
        tag == "NOUN" and word != lemma
        for tag, word, lemma in zip(source.tags[:at], source.words[:at], source.lemmas[:at], strict=True)
    )
    return head is not None and source.lemmas[head] in _GENERAL and not plural


def is_untranslated(scene: Scene) -> bool:
    """No link between pronoun and placeholder, or no place for a subject: nothing like a verb behind it."""
    slot, target = scene.slot, scene.here.target
    if slot.target not in scene.here.segment.alignment.targets_of(slot.source):
        return True
    behind = target.tags[slot.target + 1 : slot.target + 2]
    subject = slot.source in scene.here.source.analysis.subjects
    return not subject and not (behind and behind[0] in _BEHIND_SUBJECT)
