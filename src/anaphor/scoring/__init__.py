"""Operations on results: scores with analyses, verification, self-checks."""
