"""Options of a run put into a recipe: where its networks learn, how long, where they are taken up again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from anaphor.core import OptionError
from anaphor.predict.neural.settings import RunOptions

_PREFIX = "neural/"


def has_networks(settings: Mapping[str, Any]) -> bool:
    """Whether a recipe is a network, or is made of some."""
    return str(settings.get("family")).startswith(_PREFIX) or any(
        has_networks(member) for member in _members(settings)
    )


def running_with(settings: Mapping[str, Any], run: RunOptions) -> dict[str, Any]:
    """The settings of a recipe with the options of a run in every network of it.

    Networks inside a recipe share its minutes and have a folder for each inside its checkpoint.
    """
    if not has_networks(settings):
        raise OptionError(
            "device, minutes and checkpoint are for networks, and the recipe has none",
            where=str(settings.get("name", "recipe")),
            fix="leave these options out",
        )
    return _changed(settings, run)


def _changed(settings: Mapping[str, Any], run: RunOptions) -> dict[str, Any]:
    if str(settings.get("family")).startswith(_PREFIX):
        return {**settings, "options": {**settings.get("options", {}), **asdict(run)}}
    members = _members(settings)
    networks = sum(has_networks(member) for member in members)
    if not networks:
        return dict(settings)
    minutes = run.minutes / networks
    folders = [str(Path(run.checkpoint, str(i))) if run.checkpoint else "" for i in range(len(members))]
    runs = [RunOptions(device=run.device, minutes=minutes, checkpoint=folder) for folder in folders]
    return {**settings, "members": [_changed(one, its) for one, its in zip(members, runs, strict=True)]}


def _members(settings: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    members = settings.get("members", [])
    return list(members) if isinstance(members, list) else []
