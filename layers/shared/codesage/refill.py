"""DynamoDB's records -> an index that was lost, renamed or moved, without reading a repository."""

from collections.abc import Iterator

from codesage.clients.store import Store
from codesage.errors import NotReady
from codesage.indexes import claimed_index
from codesage.records import Record
from codesage.runs import Layout, Status


def refill(org: str, repository_id: int) -> int:
    """Send every stored record of an idle repository to the index; returns how many.

    Raises:
        NotReady: it was never indexed, a run is in flight, or one began meanwhile. Then run it again.
    """
    store, index = Store(org), claimed_index(org)
    row = store.repository(repository_id)
    if row.run is not None or row.layout is None or row.status is Status.REMOVED:
        raise NotReady(f"{row.labels.name} is being indexed, or never was; try again when it is done.")
    sent = 0

    def records(layout: Layout) -> Iterator[Record]:
        nonlocal sent
        for pack in sorted(layout.keys):
            for file in store.files(row.id, pack).values():
                entities = store.entities(row.id, file.path) if any(file.entities.values()) else {}
                sent += len(entities)
                yield from (entity.record for entity in entities.values())

    index.save(records(row.layout))
    if store.repository(repository_id).last_run != row.last_run:
        raise NotReady(f"A run of {row.labels.name} began meanwhile; fill the index once more.")
    return sent
