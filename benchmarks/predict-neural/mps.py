"""Several processes on one graphics card: NVIDIA's multi-process service, where it can be had.

Without it processes take turns and small kernels leave the card idle; with it they run side by side.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_CONTROL = "nvidia-cuda-mps-control"
_TRIAL = "import torch; torch.zeros(4, device='cuda').sum().item()"


@contextmanager
def shared_device(*, wanted: bool) -> Iterator[None]:
    """Processes begun inside the block share the card; a service that does not work is given up again."""
    if not wanted or shutil.which(_CONTROL) is None:
        print("no multi-process service: processes take turns", flush=True)
        yield
        return
    with tempfile.TemporaryDirectory(prefix="mps", ignore_cleanup_errors=True) as folder:
        names = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        os.environ.update(names)
        works = _called([_CONTROL, "-d"], seconds=10) and _called([sys.executable, "-c", _TRIAL], seconds=40)
        print(f"multi-process service: {'works' if works else 'does not work, given up'}", flush=True)
        if not works:
            _stop(names)
        try:
            yield
        finally:
            if works:
                _stop(names)


def _stop(names: dict[str, str]) -> None:
    _called([_CONTROL], seconds=10, given=b"quit\n")
    for name in names:
        os.environ.pop(name, None)


def _called(command: list[str], *, seconds: float, given: bytes = b"") -> bool:
    """Whether a program ended well in time. A service keeps its output open, so no pipe may wait for it."""
    quiet = subprocess.DEVNULL
    try:
        done = subprocess.run(command, input=given, stdout=quiet, stderr=quiet, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
