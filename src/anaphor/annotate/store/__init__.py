"""The database of a campaign: schema, transactions, audit log."""

from anaphor.annotate.store.database import Store, create_store, open_store

__all__ = ["Store", "create_store", "open_store"]
