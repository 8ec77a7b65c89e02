"""The licences of what is installed: code, and data derived from third-party text.

Every folder of such data has a machine-readable card (`card.toml`) with its README and its LICENSE. Those of
`anaphor-research` are listed if it is installed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anaphor.core.learned import CARD, PACKAGE, research_folder
from anaphor.core.table import Block, Table, text

CODE = "Apache-2.0"


@dataclass(frozen=True, slots=True)
class DataSource:
    """Data that a component was trained on, with its licence as stated by the source."""

    name: str
    licence: str


@dataclass(frozen=True, slots=True)
class LicensedComponent:
    """A part of a distribution; `licence` is an SPDX expression, `folder` a path inside the package."""

    component: str
    licence: str
    folder: str
    content: str
    make: tuple[str, ...] = ()
    data: tuple[DataSource, ...] = ()
    distribution: str = "anaphor"


@dataclass(frozen=True, slots=True)
class Licences:
    """All components, code first."""

    components: tuple[LicensedComponent, ...]

    def expression(self) -> str:
        """The licence of the whole package as an SPDX expression."""
        parts = (part for one in self.components for part in one.licence.split(" AND "))
        first, *rest = dict.fromkeys(parts)
        return " AND ".join([first, *sorted(rest)])

    def to_dict(self) -> dict[str, Any]:
        return {"licence": self.expression(), "components": [asdict(one) for one in self.components]}

    def tables(self) -> Sequence[Block]:
        blocks: list[Block] = []
        for one in self.components:
            owner = "" if one.distribution == "anaphor" else f" ({one.distribution})"
            blocks.append(f"{one.component}{owner}: {one.licence}")
            if one.data:
                rows = [(source.name, source.licence) for source in one.data]
                blocks.append(Table((text("learned from"), text("licence as stated")), rows))
        return blocks


def read_licences() -> Licences:
    """Return the licences of the code and of every folder with a card."""
    code = LicensedComponent("code, language packs and suites", CODE, ".", "Everything without a card.")
    roots = {"anaphor": PACKAGE, "anaphor-research": research_folder()}
    return Licences(
        (
            code,
            *(
                _component(path, root, distribution)
                for distribution, root in roots.items()
                if root is not None
                for path in sorted(root.rglob(CARD))
            ),
        )
    )


def _component(path: Path, root: Path, distribution: str) -> LicensedComponent:
    card = tomllib.loads(path.read_text(encoding="utf-8"))
    return LicensedComponent(
        card["component"],
        card["licence"],
        path.parent.relative_to(root).as_posix(),
        card["content"],
        tuple(card["make"]),
        tuple(DataSource(**source) for source in card["data"]),
        distribution,
    )
