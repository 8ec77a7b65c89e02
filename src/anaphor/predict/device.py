"""The device of a network, and its precision."""

from __future__ import annotations

from contextlib import AbstractContextManager

import torch

from anaphor.core import OptionError


def chosen_device(name: str) -> torch.device:
    """`cpu`, `cuda`, or with `auto` a GPU if available."""
    has_cuda = torch.cuda.is_available()
    if name == "cuda" and not has_cuda:
        raise OptionError(
            "CUDA is not available: no device, or a build of torch without CUDA",
            where="--device",
            fix="use --device cpu, or install a build of torch for your GPU",
        )
    return torch.device("cuda" if has_cuda and name != "cpu" else "cpu")


def mixed_precision(device: torch.device) -> AbstractContextManager[None]:
    """bfloat16 if it is safe on a GPU; full precision on a CPU."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")
