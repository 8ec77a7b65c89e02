"""Where prepared shards go: a folder with files of each, or one file that is joined from them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.scale.kept import Kept
from anaphor.scale.shards import Shard
from anaphor.scale.training import remove_steps
from anaphor.task.files import documents_beside
from anaphor.task.prepare.preparation import check_place


@dataclass(frozen=True, slots=True)
class Output:
    """An existing folder, or a file that need not exist."""

    path: Path

    @property
    def in_shards(self) -> bool:
        """Whether every shard keeps files of its own."""
        return self.path.is_dir()

    @property
    def suffixes(self) -> tuple[str, str]:
        """Of segments and of document ids."""
        compress = self.in_shards or self.path.suffix == ".gz"
        return ("tsv.gz", "doc-ids.gz") if compress else ("tsv", "doc-ids")

    def open(self) -> Kept:
        """Where results are kept until all are there: the folder, or `FILE.parts`."""
        if self.in_shards:
            return Kept(self.path)
        check_place(self.path)
        kept = Kept(self.path.with_name(f"{self.path.name}.parts"))
        kept.open()
        return kept

    def finish(self, kept: Kept, shards: Sequence[Shard]) -> None:
        """Once all shards are prepared: leave what the user asked for and nothing else."""
        if self.in_shards:
            self._tidy(kept, shards)
        else:
            self._join(kept, shards)

    def _tidy(self, kept: Kept, shards: Sequence[Shard]) -> None:
        """Leave shards, model and manifest; files of shards that are no more go too."""
        remove_steps(kept)
        kept.remove("survey")
        endings = (*self.suffixes, "json")
        known = {f"{shard.name}.{ending}" for shard in shards for ending in endings}
        for path in (kept.folder / "shards").iterdir():
            if path.name not in known:
                path.unlink()

    def _join(self, kept: Kept, shards: Sequence[Shard]) -> None:
        """One file of each kind from all shards, whole or not at all."""
        for suffix in self.suffixes:
            with kept.path("whole", suffix).open("wb") as whole:
                for shard in shards:
                    with kept.path(f"shards/{shard.name}", suffix).open("rb") as part:
                        shutil.copyfileobj(part, whole)
        for suffix, target in zip(self.suffixes, (self.path, documents_beside(self.path)), strict=True):
            kept.path("whole", suffix).replace(target)
        kept.remove()
