"""Where a network runs, and in which precision."""

from __future__ import annotations

from contextlib import AbstractContextManager

import torch

from anaphor.core import OptionError


def chosen_device(name: str) -> torch.device:
    """`cpu`, `cuda`, or with `auto` a graphics card where there is one."""
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise OptionError(
            "there is no CUDA device, or this build of torch has no support for it",
            where="--device",
            fix="use --device cpu, or install a build of torch for your graphics card",
        )
    return torch.device("cuda" if there and name != "cpu" else "cpu")


def mixed_precision(device: torch.device) -> AbstractContextManager[None]:
    """bfloat16 where it is safe on a graphics card; a processor computes as ever."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")
