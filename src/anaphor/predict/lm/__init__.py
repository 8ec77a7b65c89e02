"""The n-gram language model: counting, smoothing, files, scoring, and filling gaps."""
