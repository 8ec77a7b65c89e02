"""Results for people and programs: text, JSON, LaTeX, TSV. No arithmetic but percent."""
