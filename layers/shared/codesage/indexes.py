"""An organisation -> its search index, once it is known to belong to this database."""

from codesage.clients.algolia import Index
from codesage.clients.store import database_id


def claimed_index(org: str) -> Index:
    """Raises Rejected where another database has claimed it: nothing there may be written or deleted."""
    index = Index(org)
    index.claim(database_id())
    return index
