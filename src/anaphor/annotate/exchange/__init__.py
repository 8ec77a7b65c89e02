"""Export to and import from files: those of third-party tools, and those that other commands read."""

from anaphor.annotate.exchange.formats import (
    EXPORTS,
    IMPORTS,
    export_bytes,
    export_file,
    export_parts,
    import_bytes,
)

__all__ = ["EXPORTS", "IMPORTS", "export_bytes", "export_file", "export_parts", "import_bytes"]
