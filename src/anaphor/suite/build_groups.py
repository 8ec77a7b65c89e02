"""What the pronoun of a reference tells: the group it is balanced in, and for *you* whom it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anaphor.languages import LanguagePack

_SURE = 0.8


def form_group(target: LanguagePack, forms: Sequence[str], *, person: int) -> str:
    """Gender and number of the first form, such as `feminine plural`: what the selection is balanced by.

    `person` is that of the source pronoun. For the third, *il* and *le* are one group, for they agree with
    the same nouns; neuter forms (*ce*, *cela*) are one, and so are all forms without gender (*l'*, *y*,
    *on*); a form that can be several things (German *sie*) is a group of its own. For the second every form
    is one.
    """
    readings = [entry for entry in target.forms if entry.form == forms[0] and entry.person == 3]
    if person == 2 or not readings:
        return forms[0]
    genders = {entry.gender for entry in readings}
    numbers = {entry.number for entry in readings}
    if genders == {"neuter"}:
        return "neuter"
    if genders == {"any"}:
        return "no gender"
    if len(genders) > 1 or len(numbers) > 1:
        return forms[0]
    return f"{genders.pop()} {numbers.pop()}"


def refined_by_reference(
    features: Mapping[str, str], confidence: float, target: LanguagePack, forms: Sequence[str]
) -> tuple[dict[str, str], float]:
    """Features and confidence of an automatic *you* after a look at the reference.

    A singular form of the second person (*tu*) means one listener, a form of the third (*on*) people in
    general; a form that leaves it open (*vous*) changes nothing.
    """
    readings = [entry for entry in target.forms if entry.form == forms[0]]
    if all(entry.person == 2 and entry.number == "singular" for entry in readings):
        return {**features, "audience": "deictic", "number": "singular"}, max(confidence, _SURE)
    if all(entry.person == 3 for entry in readings):
        plain = {name: value for name, value in features.items() if name != "number"}
        return {**plain, "audience": "generic"}, max(confidence, _SURE)
    return dict(features), confidence
