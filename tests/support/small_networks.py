"""Options of neural recipes that learn a few segments by heart in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Sizes that are quick to train; everything else is as the recipes have it. Where 15 epochs teach a network
#: the twenty slots with any of three seeds, 20 are enough.
SMALL: Mapping[str, Mapping[str, Any]] = {
    "neural/turku": {"embedding": 12, "hidden": 12, "pronoun": 4, "window": 8, "epochs": 20},
    "neural/ukyoto": {"embedding": 12, "hidden": 12, "window": 8},
    "neural/uppsala": {"word": 12, "tag": 4, "letter": 4, "hidden": 8, "perceptron": 12, "window": 8},
    "neural/nyu": {"embedding": 16, "hidden": 16, "window": 8, "lookahead": 3, "context": "gate"},
    "neural/latent": {"word": 10, "tag": 4, "hidden": 12, "epochs": 20},
    "neural/convolution": {"embedding": 12, "filters": 8, "sizes": [2, 3], "window": 6, "epochs": 20},
}

RECIPE_OPTIONS = {"epochs": 60, "batch": 10, "rate": 0.02, "least": 1, "dropout": 0.0, "device": "cpu"}
