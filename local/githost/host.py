"""Repositories and folders on this machine -> a git host that speaks GitHub's API and sends its events."""

from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from codesage.errors import InvalidRequest, Unavailable
from local.githost import deliveries
from local.githost.admin import admin_routes
from local.githost.api import TREE_LIMIT, Api, RateLimit, application
from local.githost.codeload import ArchiveLinks, codeload
from local.githost.deliveries import Delivery
from local.githost.faults import Faults, Unreliable
from local.githost.git import NO_COMMIT
from local.githost.payloads import RefChange, push_json
from local.githost.sources import Source, Sources
from local.serve import LoopbackServer


class GitHost:
    """A git host on loopback.

    Args:
        folder: where it keeps `sources.json` and repositories of its own; made if missing.
        port: of the API; 0 takes a free one. The archives' origin always takes a free one.
        webhook_url: where events go; may be set later, before the first push.
        webhook_secret: signs events.
        token: what the API asks for; None asks for nothing.
        admin_token: what /_local asks for.
        tree_limit: entries of a tree listing above which it is cut.

    Attributes:
        faults: what goes wrong next, on both origins.
        rate_limit: the API caller's budget.
        requests: the newest requests to both origins, as (method, path without query), oldest first.
    """

    def __init__(
        self,
        folder: Path,
        *,
        port: int = 0,
        webhook_url: str | None,
        webhook_secret: str,
        token: str | None,
        admin_token: str,
        tree_limit: int = TREE_LIMIT,
    ) -> None:
        self.webhook_url = webhook_url
        self.faults = Faults()
        self._webhook_secret = webhook_secret
        self._sources = Sources(folder)
        links = ArchiveLinks()
        archives = Unreliable(codeload(self._sources, links), self.faults)
        self.requests: deque[tuple[str, str]] = archives.requests
        self._archives = LoopbackServer(archives)
        api = Api(
            self._sources,
            self.faults,
            token=token,
            tree_limit=tree_limit,
            archive_url=lambda name, commit: self._archives.url + links.link(name, commit),
        )
        self.rate_limit: RateLimit = api.rate_limit
        routes = api.routes() + admin_routes(self._sources, self.push, admin_token)
        self._api = LoopbackServer(Unreliable(application(routes), self.faults, self.requests), port)
        self._running = ExitStack()

    @property
    def url(self) -> str:
        """The base of the API, without a slash at the end."""
        return self._api.url

    def start(self) -> Self:
        self._running.enter_context(self._archives)
        self._running.enter_context(self._api)
        return self

    def stop(self) -> None:
        self._running.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def sources(self) -> tuple[Source, ...]:
        return self._sources.all()

    def add(self, name: str, path: Path, web_url: str | None = None) -> Source:
        """Serve a git repository, or any other folder as it is now; see `Sources.add`. Pushes nothing."""
        return self._sources.add(name, path, web_url)

    def clone(self, url: str, name: str, web_url: str | None = None) -> Source:
        """Serve a copy of the repository at `url`, fetched anew each time; see `Sources.clone`."""
        return self._sources.clone(url, name, web_url)

    def rename(self, source: Source, name: str) -> Source:
        """Give a source another name; its id stays, the old name is unknown from then on."""
        return self._sources.rename(source.id, name)

    def remove(self, source: Source) -> None:
        """Answer 404 for this source from now on."""
        self._sources.remove(source.id)

    def head(self, source: Source) -> str | None:
        """The commit the default branch is at; None in a repository without commits."""
        repository = self._sources.repository(source)
        return repository.head(repository.default_branch())

    def lag(self, source_id: int, commit: str, times: int = 1) -> None:
        """Let the next `times` answers about a head of that source show `commit`."""
        self.faults.lag(source_id, commit, times)

    def push(self, source: Source, *, before: str | None = None, branch: str | None = None) -> Delivery:
        """Tell the webhook where a branch is now; that it is gone, if it was pushed before.

        An unchanged branch is told too, with `before` equal to `after`: that is how a user asks again.

        Args:
            before: where the branch was; None takes the head that the webhook last accepted.
            branch: None takes the default branch.

        Raises:
            InvalidRequest: there is no such branch and never was.
            Unavailable: there is no webhook, or it did not answer.
        """
        known = self._sources.by_id(source.id)
        repository = self._sources.repository(known)
        name = repository.default_branch() if branch is None else branch
        ref = f"refs/heads/{name}"
        change = RefChange(
            ref, before or known.pushed.get(ref, NO_COMMIT), repository.head(name) or NO_COMMIT
        )
        if change.before == change.after == NO_COMMIT:
            raise InvalidRequest(f"{known.name} has no commits on {name}")
        delivery = self.deliver("push", push_json(self._sources, known, change, self.url))
        if delivery.accepted:
            self._sources.remember_push(known.id, ref, change.after)
        return delivery

    def deliver(
        self,
        event: str,
        payload: Mapping[str, object],
        *,
        delivery_id: str | None = None,
        secret: str | None = None,
    ) -> Delivery:
        """Send any event.

        Args:
            delivery_id: one that was used before repeats that delivery; None makes a new one.
            secret: signs with another secret than the host's; an empty one sends no signature.

        Raises:
            Unavailable: there is no webhook, or it did not answer.
        """
        if self.webhook_url is None:
            raise Unavailable("no webhook is set up")
        return deliveries.deliver(
            self.webhook_url,
            event,
            payload,
            secret=self._webhook_secret if secret is None else secret,
            delivery_id=delivery_id,
        )
