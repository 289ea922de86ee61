"""A host's tar.gz of one commit -> its regular files, spooled on disk. An archive is never trusted.

Only regular files below the one top folder are read; nothing is ever extracted by name, so no member can
write, link or read outside of the spool.
"""

import gzip
import io
import os
import tarfile
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import new as new_hash
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from codesage.errors import Rejected
from codesage.skips import MAX_FILE_BYTES

MAX_MEMBERS = 400_000
MAX_SPOOLED_BYTES = 3_400 * 1024**2  # of the function's 4 GB of scratch space
NOT_KEPT = -1  # in the place of an offset
MAX_UNPACKED_BYTES = 6 * 1024**3  # of the whole stream; a gzip bomb ends here


@dataclass(frozen=True, slots=True)
class Spooled:
    """One regular file, or a symbolic link by its target.

    Bytes are kept only up to MAX_FILE_BYTES; `blob` is git's id of the whole content.
    """

    path: str
    mode: str
    blob: str
    size: int
    offset: int


class Spool:
    """The text of a tree on local disk, so that packs can be cut in any order with little memory.

    Use as a context manager; the file is gone afterwards.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed by __exit__
        self.files: dict[str, Spooled] = {}
        self.odd_members = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def keeps(self, path: str) -> bool:
        """Whether the file's bytes are here; a large one's are not, nor what came when the spool was full."""
        return self.files[path].offset != NOT_KEPT

    def read(self, path: str) -> bytes:
        """The file's bytes, of a file that is kept."""
        spooled = self.files[path]
        self._file.seek(spooled.offset)
        return self._file.read(spooled.size)

    def add(self, path: str, mode: str, content: IO[bytes], size: int, algorithm: str) -> Spooled:
        """Take one file's bytes from `content`. The first of two equal paths counts."""
        offset = self._file.seek(0, os.SEEK_END)
        keeps = size <= MAX_FILE_BYTES and offset + size <= MAX_SPOOLED_BYTES
        digest = new_hash(algorithm, usedforsecurity=False)
        digest.update(b"blob %d\0" % size)
        left = size
        while left:
            chunk = content.read(min(left, 1 << 20))
            if not chunk:
                raise Rejected(f"The archive ends within {path!r}.")
            digest.update(chunk)
            if keeps:
                self._file.write(chunk)
            left -= len(chunk)
        spooled = Spooled(path, mode, digest.hexdigest(), size, offset if keeps else NOT_KEPT)
        return self.files.setdefault(path, spooled)

    def replace(self, path: str, mode: str, blob: str, content: bytes, algorithm: str) -> None:
        """Put the true bytes of `blob` where an archive left a file out or altered it.

        Raises:
            Rejected: `content` is not what `blob` names.
        """
        if blob_id(content, algorithm) != blob:
            raise Rejected(f"The git host gave other bytes for {path!r} than its listing names.")
        self.files.pop(path, None)
        self.add(path, mode, io.BytesIO(content), len(content), algorithm)

    def unpack(self, stream: IO[bytes], algorithm: str = "sha1") -> None:
        """Spool every regular file of a tar.gz stream.

        Args:
            algorithm: of the repository's object ids, `sha1` or `sha256`.

        Raises:
            Rejected: the stream is no archive, or over a limit.
        """
        try:
            with (
                gzip.GzipFile(fileobj=stream) as unpacked,
                tarfile.open(fileobj=cast("IO[bytes]", _Bounded(unpacked)), mode="r|") as archive,
            ):
                for number, member in enumerate(_members(archive)):
                    if number > MAX_MEMBERS:
                        raise Rejected(f"The archive has more than {MAX_MEMBERS} members.")
                    self._take(archive, member, algorithm)
        except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, OverflowError, ValueError) as error:
            raise Rejected("The host's archive of the commit cannot be read.") from error

    def _take(self, archive: tarfile.TarFile, member: tarfile.TarInfo, algorithm: str) -> None:
        path = inner_path(member.name)
        if path is not None and member.issym():
            target = member.linkname.encode("utf-8", "surrogateescape")
            self.add(path, "120000", io.BytesIO(target), len(target), algorithm)
            return
        content = archive.extractfile(member) if member.isreg() and path else None
        if content is None or path is None:
            self.odd_members += not member.isdir()
            return
        self.add(path, "100755" if member.mode & 0o100 else "100644", content, member.size, algorithm)


def blob_id(content: bytes, algorithm: str) -> str:
    """What git calls these bytes."""
    return new_hash(algorithm, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def inner_path(name: str) -> str | None:
    """A member's path below the archive's top folder; None for the top itself and for whatever is no path."""
    parts = name.split("/")
    if "\0" in name or any(part in ("", ".", "..") for part in parts):
        return None
    return "/".join(parts[1:]) or None


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """One after another, without the list of all members that TarFile would keep."""
    while (member := archive.next()) is not None:
        archive.members.clear()  # type: ignore[attr-defined]
        yield member


class _Bounded:
    """A readable that refuses to give more than MAX_UNPACKED_BYTES."""

    def __init__(self, source: gzip.GzipFile) -> None:
        self._source = source
        self._left = MAX_UNPACKED_BYTES

    def read(self, size: int) -> bytes:
        data = self._source.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Rejected(f"The archive unpacks to more than {MAX_UNPACKED_BYTES >> 30} GB.")
        return data
