"""From texts and settings to a result: experiments, the scoring pipeline, predictions, post-editing."""
