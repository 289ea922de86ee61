"""A repository's size -> what one changed function costs there, in calls."""

from functools import partial

from tests import generated
from tests.calls import Costs, Meter
from tests.repositories import GitRepository
from tests.service import Service, eventually

GROWS = frozenset({"dynamodb items read by queries"})
"""With the size of a pack, which is bounded: the items of its files tell what changed in it."""


def name_of(files: int) -> str:
    return f"growth/of-{files}"


def costs_of_one_change(service: Service, meter: Meter, repository: GitRepository, files: int) -> Costs:
    """Of a push that changes one function and no line count, by functions that are warm.

    Args:
        repository: an empty one, which then has that many files.
    """
    name = name_of(files)
    repository.commit(generated.package(files))
    service.index(repository, name)
    for limit in (200, 300):  # the first one warms
        repository.commit({generated.path(7): generated.with_one_change(7, limit)})
        meter.reset()
        report = service.index(repository, name)
        eventually(partial(service.run_entry, report["id"]), lambda entry: entry == [])
    return meter.costs


def fixed(costs: Costs) -> Costs:
    """What must not depend on the size of the repository."""
    return Costs({kind: times for kind, times in costs.items() if kind not in GROWS})
