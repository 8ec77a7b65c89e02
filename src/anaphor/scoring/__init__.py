"""What users call on results: scores with analyses beside them, verification, self-check."""
