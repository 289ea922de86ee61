"""Files of a tree <-> packs: the text of a commit, cut into objects that change only with their files.

A pack object is a concatenation of independent zstd frames of about 128 KiB of text, then the file table as
one more frame, then 16 bytes: the table's compressed length and a magic word. So one file can be read by two
ranges, and a whole pack in one pass. Files are never split over frames.
"""

import json
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha1, sha256

import zstandard

from codesage.errors import CorruptObject

FORMAT = 1
MAX_MEAN_PACK_BYTES = 4 * 1024 * 1024
MAX_PACKS = 1024
FRAME_BYTES = 128 * 1024  # the frames cost 1.5 % of size against one stream, and let one file be read alone
LEVEL = 6
TRAILER = struct.Struct("<Q8s")
MAGIC = b"CSPACK01"


@dataclass(frozen=True, slots=True)
class PackFile:
    """One row of a pack's file table.

    Attributes:
        path: as git has it; bytes that are not UTF-8 stand as lone surrogates.
        blob: git's id of the content.
        mode: git's file mode, six octal digits.
        size: bytes.
        skip: reason why it has no entities although its text is here, or None.
    """

    path: str
    blob: str
    mode: str
    size: int
    skip: str | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """A decoded pack. `text(path)` gives a file's bytes."""

    files: dict[str, PackFile]
    places: dict[str, tuple[int, int]]  # path -> (frame, offset within its text)
    frames: tuple[bytes, ...]

    def text(self, path: str) -> bytes:
        frame, offset = self.places[path]
        return self.frames[frame][offset : offset + self.files[path].size]


def pack_count(total_bytes: int) -> int:
    """The smallest power of two that keeps the mean pack at MAX_MEAN_PACK_BYTES; 1 to MAX_PACKS."""
    count = 1
    while count < MAX_PACKS and total_bytes > count * MAX_MEAN_PACK_BYTES:
        count *= 2
    return count


def pack_of(path: str, count: int) -> int:
    """The pack a path belongs to, by the hash of its bytes."""
    digest = sha1(path.encode("utf-8", "surrogateescape"), usedforsecurity=False).digest()
    return int.from_bytes(digest[:8], "big") % count


def content_hash(files: Iterable[PackFile]) -> str:
    """Over the sorted table's facts and the format, never over compressed bytes: equal trees, equal packs."""
    facts = sorted((file.path, file.blob, file.mode, file.size, file.skip) for file in files)
    return sha256(json.dumps([FORMAT, facts]).encode()).hexdigest()


def encode(files: Iterable[PackFile], read: Callable[[str], bytes]) -> bytes:
    """The pack object. `read(path)` gives a file's bytes; called once per file, in path order."""
    compressor = zstandard.ZstdCompressor(level=LEVEL)
    body, table, frame, frame_number = bytearray(), [], bytearray(), 0
    for file in sorted(files, key=lambda file: file.path):
        if frame and len(frame) + file.size > FRAME_BYTES:
            body += compressor.compress(bytes(frame))
            frame, frame_number = bytearray(), frame_number + 1
        table.append([file.path, file.blob, file.mode, file.size, file.skip, frame_number, len(frame)])
        frame += read(file.path)
    if table:
        body += compressor.compress(bytes(frame))
    packed_table = compressor.compress(json.dumps({"format": FORMAT, "files": table}).encode())
    return bytes(body) + packed_table + TRAILER.pack(len(packed_table), MAGIC)


def decode(data: bytes, key: str) -> Pack:
    """Raises CorruptObject, which names `key`, when the object does not match its own table."""
    try:
        length, magic = TRAILER.unpack(data[-TRAILER.size :])
        if magic != MAGIC:
            raise CorruptObject(f"pack {key}: it does not end in the pack's magic word")
        end = len(data) - TRAILER.size - length
        table = json.loads(b"".join(_frames(data[end : -TRAILER.size])))
        frames = tuple(_frames(data[:end]))
    except (struct.error, zstandard.ZstdError, ValueError) as error:
        raise CorruptObject(f"pack {key}: it cannot be decoded") from error
    files = {row[0]: PackFile(*row[:5]) for row in table["files"]}
    places = {row[0]: (row[5], row[6]) for row in table["files"]}
    for path, (frame, offset) in places.items():
        if frame >= len(frames) or offset + files[path].size > len(frames[frame]):
            raise CorruptObject(f"pack {key}: {path!r} lies outside of its frame")
    return Pack(files, places, frames)


def _frames(data: bytes) -> Iterator[bytes]:
    view = memoryview(data)
    while view:
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        yield decompressor.decompress(view)
        rest = decompressor.unused_data
        if len(rest) == len(view):
            raise CorruptObject("a frame that does not end")
        view = memoryview(rest)
