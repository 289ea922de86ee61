"""DynamoDB's records -> an index that was lost, renamed or moved, without reading a repository."""

from collections import Counter
from collections.abc import Iterator

from codesage.clients.algolia import Index
from codesage.clients.store import Store, database_id
from codesage.errors import NotReady
from codesage.records import Record
from codesage.runs import Layout, Repository


def refill(org: str, repository_id: int) -> int:
    """Send every stored record of an idle repository to the index; returns how many.

    Raises:
        NotReady: it was never indexed, a run is in flight, or one began meanwhile. Then run it again.
    """
    store, index = Store(org), Index(org)
    row = store.repository(repository_id)
    if row.run is not None or row.layout is None:
        raise NotReady(f"{row.labels.name} is being indexed, or never was; try again when it is done.")
    index.claim(database_id())
    sent = Counter[str]()
    index.save(_records(store, row, row.layout, sent))
    if store.repository(repository_id).last_run != row.last_run:
        raise NotReady(f"A run of {row.labels.name} began meanwhile; fill the index once more.")
    return sent.total()


def _records(store: Store, row: Repository, layout: Layout, sent: Counter[str]) -> Iterator[Record]:
    for pack in sorted(layout.keys):
        for file in store.files(row.id, pack).values():
            entities = store.entities(row.id, file.path) if any(file.entities.values()) else {}
            sent[pack] += len(entities)
            yield from (entity.record for entity in entities.values())
