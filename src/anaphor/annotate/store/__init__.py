"""The database of a campaign: schema, migrations, transactions, audit log."""

from anaphor.annotate.store.database import Store, create_store, migrate_store, open_store

__all__ = ["Store", "create_store", "migrate_store", "open_store"]
