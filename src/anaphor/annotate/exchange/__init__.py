"""Files of other tools and of other parts of anaphor, out and in."""

from anaphor.annotate.exchange.formats import (
    EXPORTS,
    IMPORTS,
    ExportFormat,
    ImportFormat,
    export_bytes,
    import_bytes,
)

__all__ = ["EXPORTS", "IMPORTS", "ExportFormat", "ImportFormat", "export_bytes", "import_bytes"]
