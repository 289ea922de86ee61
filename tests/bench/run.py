"""`python -m tests.bench.run SDIST|PART`: parts of the service, measured -> build/bench/<part>.json.

Numbers of one machine compare only with numbers of the same machine, so each file says which it was.
"""

import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import quantiles

from rich.text import Text

from codesage.entities import EntityType
from local.cli.api import Api
from local.cli.deployment import Deployment
from local.cli.first_key import first_key
from local.cli.indexing import Indexing
from local.cli.output import out
from local.cli.view import records
from local.demo.package import NAME, WEB_URL, Package
from local.stack import Stack
from tests.bench import api, cold, parse, push, quality, releases

RESULTS = Path("build/bench")
ARCHIVE = Path("build/demo/flask-3.0.3.tar.gz")
PATIENCE_SECONDS = 300
QUERIES = (
    "register a blueprint", "url_for", "send a file to the client", "open_session", "render a template",
    "how are errors handled", "FlaskClient", "json response", "load configuration from a file", "teardown",
)  # fmt: skip
ROUNDS = 5  # 50 queries, after one round that warms up

Facts = Mapping[str, object]


class Bench:
    """A fresh stack and the package that is indexed on it."""

    def __init__(self, stack: Stack, package: Package) -> None:
        profile = stack.profile
        self._stack = stack
        self._package = package
        self._api = Api(Deployment(profile.url, first_key(stack), profile))

    def index(self) -> Facts:
        """From the push until the commit is searchable, cold functions included."""
        source = self._stack.githost.add(NAME, self._package.folder, WEB_URL)
        indexing = Indexing(self._api, NAME)
        begun = time.perf_counter()
        self._stack.githost.push(source)
        row = indexing.wait(self._stack.githost.head(source) or "", PATIENCE_SECONDS)
        seconds = time.perf_counter() - begun
        return {
            "package": "flask 3.0.3",
            "files": row.counts["files"],
            "bytes": row.counts["bytes"],
            "entities": {str(kind): row.counts.get(kind, 0) for kind in EntityType},
            "records": records(row),
            "algolia_operations": self._stack.algolia.operations.total(),
            "seconds": round(seconds, 3),
            "records_per_second": round(records(row) / seconds, 1),
        }

    def search(self) -> Facts:
        """One client, one question after the other, over an open connection."""
        for query in QUERIES:
            self._timed(query)
        times = sorted(self._timed(query) for _ in range(ROUNDS) for query in QUERIES)
        percentiles = quantiles(times, n=100, method="inclusive")
        return {
            "queries": len(times),
            "p50_ms": round(percentiles[49], 2),
            "p95_ms": round(percentiles[94], 2),
            "max_ms": round(times[-1], 2),
        }

    def _timed(self, query: str) -> float:
        """Milliseconds until the whole reply is there."""
        begun = time.perf_counter()
        self._api.get("/v1/search", [("q", query)])
        return (time.perf_counter() - begun) * 1_000


def machine() -> Facts:
    return {
        "system": platform.platform(),
        "architecture": platform.machine(),
        "cpus": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "python": platform.python_version(),
    }


ALONE: Mapping[str, Callable[[Path], Facts]] = {
    "cold": cold.measure,
    "push": push.measure,
    "quality": quality.measure,
    "releases": releases.measure,
}
"""Parts that bring all that they measure: each takes an empty folder, and a run of its own."""


def main(argument: str) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="codesage-bench-") as temporary:
        folder = Path(temporary)
        if argument in ALONE:
            report(argument, ALONE[argument](folder))
            return
        if argument == "api":
            report(argument, api.measure(folder, ARCHIVE))
            return
        if argument == "parse":
            report(argument, parse.measure(), shown=False)  # all that is missed is long, its tables are not
            return
        package = Package.unpacked(Path(argument), folder)
        with Stack(folder / "data", port=0) as stack:
            bench = Bench(stack, package)
            report("index", bench.index())
            report("search", bench.search())


def report(part: str, measured: Facts, *, shown: bool = True) -> None:
    facts = {"part": part, "at": int(time.time()), "machine": machine(), **measured}
    (RESULTS / f"{part}.json").write_text(json.dumps(facts, indent=2) + "\n")
    if shown:
        out.print(Text(json.dumps(facts, indent=2)))


if __name__ == "__main__":
    main(sys.argv[1])
