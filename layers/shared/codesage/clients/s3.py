"""Packs and trees <-> S3. Made for one organisation: code that holds one cannot form another's key."""

from codesage.clients.aws import aws_failures, code_of, s3
from codesage.errors import NotFound
from codesage.settings import settings


class ObjectStore:
    """Keys are `packs/<org>/<repository>/<content hash>` and `trees/<org>/<repository>/<commit>-<run>`."""

    def __init__(self, org: str) -> None:
        self._org = org

    def put_pack(self, repository_id: int, content_hash: str, data: bytes) -> None:
        """Writing the same pack again makes it young, which keeps it from the sweep of old objects."""
        self._put(f"packs/{self._org}/{repository_id}/{content_hash}", data)

    def pack(self, repository_id: int, content_hash: str) -> bytes:
        return self._get(f"packs/{self._org}/{repository_id}/{content_hash}")

    def put_tree(self, repository_id: int, name: str, data: bytes) -> None:
        self._put(f"trees/{self._org}/{repository_id}/{name}", data)

    def tree(self, repository_id: int, name: str) -> bytes:
        return self._get(f"trees/{self._org}/{repository_id}/{name}")

    def _put(self, key: str, data: bytes) -> None:
        with aws_failures("The object store"):
            s3().put_object(Bucket=settings().bucket_name, Key=key, Body=data)

    def _get(self, key: str) -> bytes:
        """Raises NotFound, which names the key's last part only."""
        with aws_failures("The object store"):
            client = s3()
            try:
                return client.get_object(Bucket=settings().bucket_name, Key=key)["Body"].read()
            except client.exceptions.ClientError as error:
                if code_of(error) in ("NoSuchKey", "404"):
                    raise NotFound(f"The stored object {key.rsplit('/', 1)[1]} is gone.") from error
                raise
