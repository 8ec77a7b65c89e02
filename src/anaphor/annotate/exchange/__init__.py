"""Export and import of files: formats of third-party tools and of other commands."""

from anaphor.annotate.exchange.formats import (
    EXPORTS,
    IMPORTS,
    export_bytes,
    export_file,
    export_parts,
    import_bytes,
)

__all__ = ["EXPORTS", "IMPORTS", "export_bytes", "export_file", "export_parts", "import_bytes"]
