"""The distributions of this repository: which of them tools write models to.

Models of `anaphor` permit any use; those of `anaphor-research` were trained on everything. A tool writes to
the distribution whose models it reads, because networks, and what was fitted with them, belong together.
`plain.py` runs a tool with the models of `anaphor` where both are installed.
"""

from __future__ import annotations

from pathlib import Path

from anaphor.core.learned import research_folder

ROOT = Path(__file__).resolve().parents[1]
PLAIN = ROOT / "src" / "anaphor"
RESEARCH = ROOT / "packages" / "anaphor-research" / "src" / "anaphor_research"


def writes_research() -> bool:
    """Whether the models in use are those of `anaphor-research`."""
    return research_folder() is not None


def results_name(name: str) -> str:
    """The name of a file of results: those of the plain installation end in `-free`."""
    return name if writes_research() else f"{name}-free"


def component_folder(component: str) -> Path:
    """The folder of a component in this repository, in the distribution whose models are in use."""
    return (RESEARCH if writes_research() else PLAIN) / component
