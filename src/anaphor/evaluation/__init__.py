"""From texts and settings to a result: what is compared, the main path, predictions, post-editing."""
