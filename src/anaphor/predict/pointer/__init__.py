"""A network that points at the antecedent of an English pronoun."""

from anaphor.predict.pointer.pointer import AntecedentPointer, pointer_digest

__all__ = ["AntecedentPointer", "pointer_digest"]
