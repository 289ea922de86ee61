"""Every message that travels through a queue: what one stage hands to the next.

Closed models have a rule for deployment: add a field with a default, deploy the reader, then the writer.
"""

import re
from hashlib import sha256
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

ORG = re.compile(r"[a-z0-9-]{1,40}")
Org = Annotated[str, StringConstraints(pattern=rf"^{ORG.pattern}$")]
CommitSha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]

GROUP_ID = re.compile(r"[!-~]{1,128}")  # what SQS takes: letters, digits and punctuation


class Message(BaseModel):
    """Frozen and closed: an unknown field means that two stages disagree, and fails the message."""

    # Built on first use: most functions import all messages and handle one of them.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Labels(Message):
    """What a host calls a repository now. All of it may change; the host's id does not.

    Attributes:
        name: `owner/name`, or deeper where the host nests groups.
        web_url: where people see it; None when nothing is known, and then links are null.
        branch: the tracked branch.
    """

    name: str
    web_url: str | None
    branch: str


class SnapshotRequest(Message):
    """A hint that a repository may have moved: webhook, end of a run, watch or operator -> snapshot.

    Attributes:
        host: the host's slug in the webhook route, `github`.
        host_id: the host's own immutable id of the repository.
        delivery: unique per hint; the host's delivery id where there is one.
        labels: None where only the repository is known; then its row must exist.
        before, after: the two ends of a push, where known. Hints: the host's head is the truth.
        rebuild: index again although nothing changed, into a new layout.
        adds: a person or the host added the repository; only this brings a removed one back, as a new one.
    """

    org: Org
    host: str
    host_id: str
    delivery: str
    labels: Labels | None = None
    before: CommitSha | None = None
    after: CommitSha | None = None
    rebuild: bool = False
    adds: bool = False

    @property
    def group_id(self) -> str:
        """One repository's hints are handled one after another."""
        return _group_id(f"{self.org}.{self.host}.{self.host_id}")

    @property
    def deduplication_id(self) -> str:
        return sha256(f"{self.org}.{self.host}.{self.delivery}".encode()).hexdigest()


class ParseRequest(Message):
    """snapshot -> parser: bring one pack's records up to date, or remove what left it. Twice is harmless.

    Attributes:
        run: number of the run this belongs to.
        pack: `<layout>.<n>`.
        content_hash: the pack's name in S3 at the run's commit; empty in the remove phase.
        phase: `update` before the commit is published, `remove` after it.
        attempt: how often the run was dispatched; a resumed run sends all of its messages again.
        continuation: 0, or the slice number where an earlier receipt ran out of time.
        counts: what the slices before this one did; the last one adds all of it to the run, once.
        parser_version: a parser of another version fails the message, so that a newer one gets it.
    """

    org: Org
    repository_id: int
    run: int
    pack: str
    content_hash: str
    phase: Literal["update", "remove"]
    parser_version: int
    attempt: int = 1
    continuation: int = 0
    counts: dict[str, int] = {}

    @property
    def group_id(self) -> str:
        """Packs run in parallel, one pack's messages one after another."""
        return _group_id(f"{self.org}.{self.repository_id}.{self.pack}")

    @property
    def deduplication_id(self) -> str:
        return f"{self.run}-{self.pack}-{self.phase}-{self.attempt}-{self.continuation}"


def _group_id(text: str) -> str:
    return text if GROUP_ID.fullmatch(text) else sha256(text.encode()).hexdigest()
