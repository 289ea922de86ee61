"""A running stack and a package -> what a person sees of it, step by step; a step that fails ends it."""

import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

from rich.text import Text

from codesage.entities import EntityType
from local.cli.api import Api, Fields
from local.cli.deployment import Deployment
from local.cli.errors import CommandError
from local.cli.first_key import first_key
from local.cli.indexing import Indexing
from local.cli.output import counted, out, show_facts
from local.cli.replies import Hit, Repository, SearchReply
from local.cli.view import hit_view, records, skipped
from local.demo import package as demo
from local.demo.package import Package
from local.githost import Source
from local.stack import Stack

PATIENCE_SECONDS = 120
QUESTIONS: Final[Sequence[tuple[str, Fields]]] = (
    ("register a blueprint", ()),
    ("send a file to the client", [("path", "src")]),
    ("generate a URL for an endpoint", ()),
)
HITS_SHOWN, LINES_SHOWN = 2, 3

_ACTIONS = {"addObject": "saved", "updateObject": "saved", "deleteObject": "deleted"}


class Tour:
    """Args: `stack` is running and empty."""

    def __init__(self, stack: Stack, package: Package) -> None:
        self._stack = stack
        self._package = package
        profile = stack.profile
        self._api = Api(Deployment(profile.url, first_key(stack), profile))

    def run(self) -> None:
        """Raises CommandError: what was promised did not happen."""
        out.print(Text.assemble(("CodeSage runs on this machine", "bold"), f" at {self._stack.url}"))
        source = self._stack.githost.add(demo.NAME, self._package.folder, demo.WEB_URL)
        first = self._first_push(source)
        self._questions()
        self._second_push(source, first)
        self._proofs()
        _farewell()

    def _first_push(self, source: Source) -> Repository:
        _heading(1, f"Push flask 3.0.3, {self._package.files()} files, as {demo.NAME}")
        row = self._pushed(source)
        show_facts(
            [(str(kind), f"{row.counts[kind]:>7,}") for kind in EntityType if row.counts.get(kind)]
            + [("records", f"{records(row):>7,}")]
        )
        out.print(Text(f"Files without records, and why: {skipped(row)}", "dim"))
        return row

    def _questions(self) -> None:
        _heading(2, "Ask")
        for question, fields in QUESTIONS:
            hits = self._asked(question, fields)
            if not hits:
                raise CommandError(f"{question!r} found nothing")
            for number, hit in enumerate(hits[:HITS_SHOWN], 1):
                out.print(hit_view(number, hit, LINES_SHOWN))
            out.print()
        out.print(
            Text(
                "Every link names the commit it was found in, so it shows these lines forever.\n"
                "This commit was made here from the released archive, so GitHub does not have it.",
                "dim",
            )
        )

    def _second_push(self, source: Source, first: Repository) -> None:
        _heading(3, "Push a change")
        self._package.change()
        out.print(Text(f"  one line changed   {demo.CHANGED}"))
        out.print(Text(f"  a file renamed     {demo.RENAMED} -> {demo.RENAMED_TO}"))
        out.print(Text(f"  a file deleted     {demo.DELETED}"))
        before = Counter(self._stack.algolia.operations)
        self._pushed(source)
        sent = self._stack.algolia.operations - before
        if not 0 < sent.total() < records(first) / 10:
            raise CommandError(f"{sent.total()} operations were sent for a small change")
        told: Counter[str] = Counter()
        for action, count in sent.items():
            told[_ACTIONS.get(action, action)] += count
        out.print(Text(f"Sent to Algolia: {counted(told)}, of {records(first):,} records."))

    def _proofs(self) -> None:
        _heading(4, "The index is the new commit, and nothing of the old one")
        self._prove("oversized cookie", (), [demo.CHANGED])
        self._prove("has_level_handler", [("path", "src")], [demo.RENAMED_TO])
        self._prove("stream_template_string", [("path", demo.DELETED)], [])

    def _prove(self, query: str, fields: Fields, paths: Sequence[str]) -> None:
        """All that is found is in `paths`, and something is in each."""
        hits = self._asked(query, fields)
        for number, hit in enumerate(hits[:1], 1):
            out.print(hit_view(number, hit))
        if not hits:
            out.print(Text("    Nothing found: no record of that file is left."))
        out.print()
        if {hit.file_path for hit in hits} != set(paths):
            found = ", ".join(sorted({hit.file_path for hit in hits})) or "nothing"
            raise CommandError(f"{query!r} found {found}; expected {', '.join(paths) or 'nothing'}")

    def _pushed(self, source: Source) -> Repository:
        indexing = Indexing(self._api, source.name)
        begun = time.monotonic()
        delivery = self._stack.githost.push(source)
        out.print(Text(f"The webhook answered {delivery.status} to a signed push.", "dim"))
        row = indexing.wait(self._stack.githost.head(source) or "", PATIENCE_SECONDS)
        commit = row.commit or ""
        out.print(Text(f"{commit[:12]} is searchable after {time.monotonic() - begun:.1f} s.", "green"))
        return row

    def _asked(self, query: str, fields: Fields) -> list[Hit]:
        """Ask as the command does, whose line is shown."""
        options = "".join(f" --{name} {value}" for name, value in fields)
        out.print(Text(f'$ codesage search "{query}"{options}', "bold"))
        body = self._api.get("/v1/search", [("q", query), *fields])
        return SearchReply.model_validate_json(body).results


def _heading(number: int, title: str) -> None:
    out.print()
    out.print(Text(f"{number}  {title}", "bold magenta"))
    out.print()


def _farewell() -> None:
    _heading(5, "Your turn")
    for command, why in (
        ("make up", "the service on this machine; it keeps what it indexes"),
        (".venv/bin/codesage index PATH", "a folder, or the URL of a git repository"),
        ('.venv/bin/codesage search "…"', "ask; --help shows the filters"),
    ):
        out.print(Text.assemble("  ", (f"{command:<32}", "bold"), why))
