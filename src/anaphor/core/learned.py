"""The location of learned data: this package, or the distribution `anaphor-research`.

A component is a folder with a card, named by its path in the package, such as `verdict/model`. The package is
for models trained on data that permits any use; `anaphor-research` has the same components trained on
everything, under non-commercial terms. If it is installed, its components take the place of the package's
own, and signatures name it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from anaphor.core.errors import UserError

CARD = "card.toml"
PACKAGE = Path(__file__).parents[1]
_RESEARCH = "anaphor_research"


@cache
def research_folder() -> Path | None:
    """The folder of the research distribution; None if it is not installed.

    Its models can only be read by code of the same version; any other version is an error.
    """
    if find_spec(_RESEARCH) is None:
        return None
    from anaphor import __version__

    research = import_module(_RESEARCH)
    if research.__version__ != __version__:
        raise UserError(
            f"the models are for anaphor {research.__version__}, and this is {__version__}",
            where="anaphor-research",
            fix=f"install anaphor-research=={__version__}, or uninstall it to use the models of the package",
        )
    return Path(str(research.__file__)).parent


def learned_folder(component: str) -> Path:
    """The folder of a component: that of the research distribution if it has one, else the package's."""
    research = research_folder()
    if research is not None and (research / component / CARD).is_file():
        return research / component
    return PACKAGE / component


def learned_components(folder: str) -> dict[str, Path]:
    """The components inside a folder of either distribution, by their names."""
    roots = [root / folder for root in (PACKAGE, research_folder()) if root is not None]
    names = {path.parent.name for root in roots for path in root.glob(f"*/{CARD}")}
    return {name: learned_folder(f"{folder}/{name}") for name in sorted(names)}


def signed_models() -> Mapping[str, str]:
    """The entry in a signature for the models that are used; empty for those of the package."""
    if research_folder() is None:
        return {}
    from anaphor import __version__

    return {"models": f"anaphor-research-{__version__}"}
