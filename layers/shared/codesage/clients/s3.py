"""Packs and trees <-> S3. Made for one organisation: code that holds one cannot form another's key."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Literal

from codesage.clients.aws import aws_failures, code_of, s3
from codesage.errors import NotFound, Unavailable
from codesage.settings import settings

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

MAX_DELETED = 1_000  # keys in one request, S3's own limit


class ObjectStore:
    """Keys are `packs/<org>/<repository>/<content hash>` and `trees/<org>/<repository>/<commit>-<run>`."""

    def __init__(self, org: str) -> None:
        self._org = org

    def put_pack(self, repository_id: int, content_hash: str, data: bytes) -> None:
        """Writing the same pack again makes it young, which keeps it from the sweep of old objects."""
        self._put(f"packs/{self._org}/{repository_id}/{content_hash}", data)

    def pack(self, repository_id: int, content_hash: str) -> bytes:
        return self._get(f"packs/{self._org}/{repository_id}/{content_hash}")

    def pack_tail(self, repository_id: int, content_hash: str, length: int) -> bytes:
        """Its last bytes; all of them where it has no more than `length`."""
        return self._get(f"packs/{self._org}/{repository_id}/{content_hash}", f"bytes=-{length}")

    def pack_part(self, repository_id: int, content_hash: str, start: int, end: int | None) -> bytes:
        """Its bytes from `start` up to `end`, or to its own end."""
        last = "" if end is None else end - 1
        return self._get(f"packs/{self._org}/{repository_id}/{content_hash}", f"bytes={start}-{last}")

    def put_tree(self, repository_id: int, name: str, data: bytes) -> None:
        self._put(f"trees/{self._org}/{repository_id}/{name}", data)

    def tree(self, repository_id: int, name: str) -> bytes:
        return self._get(f"trees/{self._org}/{repository_id}/{name}")

    def names_older_than(self, kind: Literal["packs", "trees"], repository_id: int, age: float) -> list[str]:
        """Last parts of the keys of objects that were written more than `age` seconds ago."""
        prefix = f"{kind}/{self._org}/{repository_id}/"
        youngest = datetime.now(UTC) - timedelta(seconds=age)
        with aws_failures("The object store"):
            pages = (
                s3().get_paginator("list_objects_v2").paginate(Bucket=settings().bucket_name, Prefix=prefix)
            )
            found = [entry for page in pages for entry in page.get("Contents", [])]
        return [e["Key"].removeprefix(prefix) for e in found if e["LastModified"] <= youngest]

    def delete(self, kind: Literal["packs", "trees"], repository_id: int, names: Sequence[str]) -> None:
        """Names that are not there are no error."""
        keys = [f"{kind}/{self._org}/{repository_id}/{name}" for name in names]
        for start in range(0, len(keys), MAX_DELETED):
            objects: list[ObjectIdentifierTypeDef] = [
                {"Key": key} for key in keys[start : start + MAX_DELETED]
            ]
            with aws_failures("The object store"):
                reply = s3().delete_objects(
                    Bucket=settings().bucket_name, Delete={"Objects": objects, "Quiet": True}
                )
            if reply.get("Errors"):
                raise Unavailable("The object store did not delete every object; it is asked again.")

    def _put(self, key: str, data: bytes) -> None:
        with aws_failures("The object store"):
            s3().put_object(Bucket=settings().bucket_name, Key=key, Body=data)

    def _get(self, key: str, part: str | None = None) -> bytes:
        """The object, or the part of it that a `Range` header names.

        Raises NotFound, which names the key's last part only.
        """
        with aws_failures("The object store"):
            client = s3()
            get = partial(client.get_object, Bucket=settings().bucket_name, Key=key)
            try:
                return (get() if part is None else get(Range=part))["Body"].read()
            except client.exceptions.ClientError as error:
                if code_of(error) in ("NoSuchKey", "404"):
                    raise NotFound(f"The stored object {key.rsplit('/', 1)[1]} is gone.") from error
                raise
