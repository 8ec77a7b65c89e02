"""A network that points at the antecedent of an English pronoun."""
