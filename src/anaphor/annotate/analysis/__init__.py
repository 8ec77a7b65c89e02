"""Analysis of answers: agreement, progress, judgements for `anaphor.meta`, approved translations."""
