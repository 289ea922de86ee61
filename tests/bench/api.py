"""A running stack with one real package -> what a question costs beside the engine, and what a crowd gets.

*Own* time is a client's wait less what the engine took to answer: front, authorizer, handler, database. The
engine of the local stack is a stand-in, so its time says nothing about a deployed one; the rest is ours.
"""

import os
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles

import urllib3

from codesage.sightings import SETTLED_SECONDS
from local.cli.api import Api
from local.cli.deployment import Deployment
from local.cli.first_key import first_key
from local.cli.indexing import Indexing
from local.demo.package import NAME, WEB_URL, Package
from local.stack import Stack

QUESTIONS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "search": (
        {"q": "register a blueprint"}, {"q": "url_for"}, {"q": "lang:python open_session"},
        {"q": "render a template"}, {"q": '"error handler"'}, {"q": "teardown -test"},
        {"q": "json response", "highlight": "true", "facets": "language,entity_type"},
    ),
    "search for 50 hits": ({"q": "render a template", "limit": "50"}, {"q": "request", "limit": "50"}),
    "search in one repository": ({"q": "url_for", "repository": NAME}, {"q": f"repo:{NAME} teardown"}),
    "repositories": ({},),
    "file": ({"path": "src/flask/app.py"}, {"path": "docs/quickstart.rst"}),
}  # fmt: skip
WARMING, ROUNDS = 40, 400
GOAL_MS = 15.0  # own time of a search, 95th percentile
CLIENTS = 50
CROWD_SECONDS = int(os.environ.get("CROWD_SECONDS", "60"))


def measure(folder: Path, archive: Path) -> Mapping[str, object]:
    """Args: an empty folder, and the package's source archive."""
    package = Package.unpacked(archive, folder)
    with Stack(folder / "data", port=0) as stack:
        profile = stack.profile
        key = first_key(stack)
        api = Api(Deployment(profile.url, key, profile))
        source = stack.githost.add(NAME, package.folder, WEB_URL)
        indexing = Indexing(api, NAME)
        stack.githost.push(source)
        row = indexing.wait(stack.githost.head(source) or "", 300)
        paths = {
            "search": "/v1/search",
            "search for 50 hits": "/v1/search",
            "search in one repository": "/v1/search",
            "repositories": "/v1/repositories",
            "file": f"/v1/repositories/{row.id}/files",
        }
        time.sleep(SETTLED_SECONDS + 1)  # until then a search also looks whether an update is still under way
        alone = {kind: _alone(stack, api, paths[kind], asked) for kind, asked in QUESTIONS.items()}
        return {
            "package": "flask 3.0.3",
            "alone": alone,
            "goal_own_p95_ms": GOAL_MS,
            "goal_met": alone["search"]["own_p95_ms"] <= GOAL_MS,
            "crowd": _crowd(profile.url, key),
        }


def _alone(stack: Stack, api: Api, path: str, asked: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """One client, one question after the other, over an open connection."""
    waits, own = [], []
    for number, question in enumerate(islice(cycle(asked), WARMING + ROUNDS)):
        stack.algolia.requests.clear()
        begun = time.perf_counter()
        api.get(path, list(question.items()))
        wait = time.perf_counter() - begun
        engine = sum(request.seconds for request in stack.algolia.requests)
        if number >= WARMING:
            waits.append(wait)
            own.append(wait - engine)
    return {**_percentiles("wait", waits), **_percentiles("own", own)}


def _percentiles(name: str, seconds: Sequence[float]) -> dict[str, float]:
    cuts = quantiles(seconds, n=100, method="inclusive")
    return {f"{name}_p{p}_ms": round(cuts[p - 1] * 1_000, 2) for p in (50, 95, 99)}


def _crowd(url: str, key: str) -> dict[str, object]:
    """CLIENTS at once, each with a connection of its own, for CROWD_SECONDS."""
    statuses: Counter[int] = Counter()
    waits: list[float] = []
    lock, end = threading.Lock(), time.monotonic() + CROWD_SECONDS

    def client(number: int) -> None:
        http = urllib3.PoolManager(retries=False, headers={"Authorization": f"Bearer {key}"})
        for question in islice(cycle(QUESTIONS["search"]), number % len(QUESTIONS["search"]), None):
            if time.monotonic() > end:
                return
            begun = time.perf_counter()
            reply = http.request("GET", f"{url}/v1/search", fields=dict(question))
            with lock:
                statuses[reply.status] += 1
                waits.append(time.perf_counter() - begun)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "clients": CLIENTS,
        "seconds": CROWD_SECONDS,
        "requests": len(waits),
        "statuses": {str(status): count for status, count in sorted(statuses.items())},
        "errors": sum(count for status, count in statuses.items() if status != 200),
        **_percentiles("wait", waits),
    }
