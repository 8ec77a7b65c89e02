"""Why a model chose a class: the features that speak for it, or the words without which it is less sure."""
