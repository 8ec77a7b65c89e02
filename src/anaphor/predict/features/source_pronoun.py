"""The pronoun that was translated."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene
from anaphor.predict.settings import option


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePronoun:
    """The source token behind the placeholder.

    - `sp=it`: the token in lower case; the verb itself where the source leaves subjects out.
    - `sp.first`: it opens its sentence.
    - `sp.subject=True`, `sp.expletive=True`: what the analyser says of it (with `role`).
    """

    role: bool = option(False, "say whether the pronoun is a subject or an expletive")

    @property
    def needs(self) -> Needs:
        return Needs(source=self.role)

    def features(self, scene: Scene) -> list[str]:
        pronoun, at = scene.pronoun, scene.slot.source
        found = [f"sp={pronoun}"]
        if at == 0:
            found.append(f"sp.first={pronoun}")
        if self.role:
            source = scene.here.source
            found.append(f"sp.subject={at in source.analysis.subjects}&{pronoun}")
            found.append(f"sp.expletive={at in source.analysis.expletives}&{pronoun}")
        return found
