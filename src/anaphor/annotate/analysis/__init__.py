"""What the answers say: agreement, progress, judgements for `anaphor.meta`, approved translations."""
