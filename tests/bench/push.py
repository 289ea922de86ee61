"""Repositories of growing size -> what a push of one changed function costs in calls, and how long it takes.

Then a commit that changes three files of four replaces another one, while somebody searches all the time.
"""

import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import quantiles

from local.cli.first_key import first_key
from local.cli.output import out
from local.stack import Stack
from tests import generated, service
from tests.calls import metered, table
from tests.growth import costs_of_one_change, fixed, name_of
from tests.reader import Reader
from tests.repositories import GitRepository
from tests.service import Service

SIZES = (50, 500, 5_000)
PUSHES = 40
WARMING = 3
LOOK_SECONDS = 0.02
PATIENCE_SECONDS = 600  # of a push of 5,000 files

Facts = Mapping[str, object]


def measure(folder: Path) -> Facts:
    """All of it on a fresh stack whose pauses and schedules are those of `codesage up`."""
    service.PATIENCE_SECONDS = PATIENCE_SECONDS
    with Stack(folder / "data", port=0) as stack:
        running = Service(stack)
        running.key = first_key(stack)
        repositories = {files: GitRepository(folder / str(files)) for files in SIZES}
        with metered(stack) as meter:
            costs = {
                files: costs_of_one_change(running, meter, repository, files)
                for files, repository in repositories.items()
            }
        out.print(table("one changed function", {f"{files:,} files": costs[files] for files in SIZES}))
        files, repository = repositories.popitem()
        name = name_of(files)
        times = sorted([*seconds_of_pushes(running, repository, name)][WARMING:])
        percentiles = quantiles(times, n=100, method="inclusive")
        return {
            "files": files,
            "same_costs_at_every_size": all(fixed(each) == fixed(costs[files]) for each in costs.values()),
            "costs": {str(files): dict(sorted(each.items())) for files, each in costs.items()},
            "pushes": len(times),
            "p50_s": round(percentiles[49], 3),
            "p95_s": round(percentiles[94], 3),
            "max_s": round(times[-1], 3),
            "update": read_during_an_update(running, repository, name, files),
        }


def seconds_of_pushes(service: Service, repository: GitRepository, name: str) -> Iterator[float]:
    """From the announcement of a commit with one changed file until a search shows the change."""
    [function, *_] = generated.names(0)
    for number in range(WARMING + PUSHES):
        limit = 1_000 + number
        commit = repository.commit({generated.path(0): generated.with_one_change(0, limit)})
        begun = time.perf_counter()
        service.push(repository, name)
        while f"limit={limit}" not in service.search(function, repository=name, limit=1)[0]["snippet"]:
            time.sleep(LOOK_SECONDS)
        yield time.perf_counter() - begun
        service.indexed(name, commit)


def read_during_an_update(service: Service, repository: GitRepository, name: str, files: int) -> Facts:
    web_url = f"https://github.com/{name}"
    service.index(repository, name, web_url)
    after = repository.commit(generated.second_commit(files))
    reader = Reader(repository, lambda function: service.search(function, repository=name, limit=20))
    begun = time.perf_counter()
    service.push(repository, name, web_url)
    with ThreadPoolExecutor(1) as pool:
        update = pool.submit(service.indexed, name, after)
        reader.read_until(update.done, [generated.names(number)[0] for number in range(files)])
    return {
        "seconds": round(time.perf_counter() - begun, 1),
        "searches": reader.searches,
        "links_to_older_commits": reader.commits.total() - reader.commits[after],
        "links_to_new_commit": reader.commits[after],
        "hits_without_link": reader.unlinked,
        "missed": len(reader.missed),
        "wrong_links": len(reader.wrong),
    }
