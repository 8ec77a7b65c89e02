"""Test sets in the XML of the WMT campaigns since 2021.

    <dataset><collection><doc id="d1" origlang="en">
      <src lang="en"><p><seg id="1">...</seg></p></src>
      <ref lang="fr" translator="A">...</ref>
      <hyp lang="fr" system="X">...</hyp>
    </doc></collection></dataset>

`<collection>` and `<p>` may be missing, `<supplemental>` is passed over. References and candidates in
another language than the target are passed over too, so that a file with several targets can be read
pair by pair.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError
from anaphor.corpus.bundle import Bundle, Role, Version, assemble
from anaphor.corpus.markup import Element, parse_xml, segments_of

# wmt-wrap leaves the translator out where there is one reference only.
_ONLY_TRANSLATOR = "default"
_GROUPS = ("p",)


def parse_wmt_xml(data: bytes, *, path: str, pair: LanguagePair) -> Bundle:
    """All documents of all collections, one after the other.

    Test suites travel in the same files without references. Documents marked `testsuite` that have
    no reference in the target language are left out with a warning.
    """
    versions, left_out = list[Version](), 0
    for document in _documents(parse_xml(data, path=path)):
        found = list(_versions(document, pair))
        if "testsuite" in document.attributes and not any(v.role is Role.REFERENCE for v in found):
            left_out += 1
        else:
            versions += found
    if left_out:
        what = f"{path}: left out {left_out} test-suite documents without a reference"
        warnings.warn(what, InputWarning, stacklevel=2)
    return assemble(versions, path=path)


def _documents(root: Element) -> Iterator[Element]:
    if root.tag != "dataset":
        raise InputError(
            f"the file is <{root.tag}>, not <dataset>", where=root.where, fix="give a WMT test set"
        )
    for child in root.only("collection", "doc"):
        yield from [child] if child.tag == "doc" else child.only("doc")


def _versions(document: Element, pair: LanguagePair) -> Iterator[Version]:
    name = document.require("id")
    for child in document.only("src", "ref", "hyp", "supplemental"):
        if child.tag == "supplemental":
            continue
        if child.tag == "src":
            _check_source_language(child, pair)
        elif _language(child) not in (None, pair.target):
            continue
        segments = segments_of(child, groups=_GROUPS)
        yield Version(name, *_role(child), segments, child.where)


def _role(element: Element) -> tuple[Role, str]:
    if element.tag == "src":
        return Role.SOURCE, ""
    if element.tag == "ref":
        return Role.REFERENCE, element.attributes.get("translator", _ONLY_TRANSLATOR)
    return Role.CANDIDATE, element.require("system")


def _language(element: Element) -> str | None:
    """The language without its region (`en` for `en_US`), or None where the file does not say."""
    stated = element.attributes.get("lang", element.attributes.get("language"))
    return None if stated is None else stated.replace("_", "-").partition("-")[0].lower()


def _check_source_language(element: Element, pair: LanguagePair) -> None:
    if _language(element) not in (None, pair.source):
        raise MismatchError(
            f"the source is in {_language(element)}, the language pair is {pair}",
            where=element.where,
            fix="give the language pair of the file",
        )
