"""Results for people and programs: text, JSON, LaTeX, TSV. The only arithmetic is percentages."""
