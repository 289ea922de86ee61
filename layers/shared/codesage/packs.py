"""Files of a tree <-> packs: the text of a commit, cut into objects that change only with their files.

A pack object is a concatenation of independent zstd frames of about 128 KiB of text, then the file table as
one more frame, then 16 bytes: the table's compressed length and a magic word. The table has every
frame's compressed length. So one file can be read by two ranges, and a whole pack in one pass. Files are
never split over frames.
"""

import json
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1, sha256
from itertools import islice

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


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pack object holds one file.

    Attributes:
        start, end: the bytes of the object to read; an `end` of None reads to the object's own.
        frame: which of the frames that begin there holds the file; `offset` is within that frame's text.
    """

    start: int
    end: int | None
    frame: int
    offset: int
    size: int


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
    frames, table, frame = [], [], bytearray()
    for file in sorted(files, key=lambda file: file.path):
        if frame and len(frame) + file.size > FRAME_BYTES:
            frames.append(compressor.compress(bytes(frame)))
            frame = bytearray()
        table.append([file.path, file.blob, file.mode, file.size, file.skip, len(frames), len(frame)])
        frame += read(file.path)
    if table:
        frames.append(compressor.compress(bytes(frame)))
    facts = {"format": FORMAT, "frames": [len(frame) for frame in frames], "files": table}
    packed_table = compressor.compress(json.dumps(facts).encode())
    return b"".join([*frames, packed_table, TRAILER.pack(len(packed_table), MAGIC)])


def decode(data: bytes, key: str) -> Pack:
    """Raises CorruptObject, which names `key`, when the object does not match its own table."""
    end = len(data) - tail_length(data, key)
    with _damage(key):
        table = json.loads(b"".join(_frames(data[end : -TRAILER.size])))
        frames = tuple(_frames(data[:end]))
    files = {row[0]: PackFile(*row[:5]) for row in table["files"]}
    places = {row[0]: (row[5], row[6]) for row in table["files"]}
    for path, (frame, offset) in places.items():
        if frame >= len(frames) or offset + files[path].size > len(frames[frame]):
            raise CorruptObject(f"pack {key}: {path!r} lies outside of its frame")
    return Pack(files, places, frames)


def tail_length(tail: bytes, key: str) -> int:
    """How many of the object's last bytes are its table and trailer.

    Args:
        tail: at least the last TRAILER.size bytes of the object.

    Raises:
        CorruptObject: as `decode`.
    """
    with _damage(key):
        length, magic = TRAILER.unpack(tail[-TRAILER.size :])
    if magic != MAGIC:
        raise CorruptObject(f"pack {key}: it does not end in the pack's magic word")
    return int(length) + TRAILER.size


def place_of(path: str, tail: bytes, key: str) -> Place | None:
    """Where the file is; None where the pack does not hold it.

    Args:
        tail: at least the last `tail_length` bytes of the object.

    Raises:
        CorruptObject: as `decode`.
    """
    with _damage(key):
        start = len(tail) - tail_length(tail, key)
        table = json.loads(b"".join(_frames(tail[start : -TRAILER.size])))
        row = next((row for row in table["files"] if row[0] == path), None)
        if row is None:
            return None
        size, frame, offset = row[3], row[5], row[6]
        lengths = table.get("frames")
        if lengths is None:  # an older pack: its frames are found only by going through them
            return Place(0, None, frame, offset, size)
        start = sum(lengths[:frame])
        return Place(start, start + lengths[frame], 0, offset, size)


def text_at(place: Place, data: bytes, key: str) -> bytes:
    """A file's bytes. `data`: the object's bytes from `place.start` to `place.end`.

    Raises CorruptObject as `decode`.
    """
    with _damage(key):
        frame = next(islice(_frames(data), place.frame, None), b"")
    text = frame[place.offset : place.offset + place.size]
    if len(text) < place.size:
        raise CorruptObject(f"pack {key}: a file lies outside of its frame")
    return text


@contextmanager
def _damage(key: str) -> Iterator[None]:
    try:
        yield
    except (struct.error, zstandard.ZstdError, ValueError, LookupError, TypeError) as error:
        raise CorruptObject(f"pack {key}: it cannot be decoded") from error


def _frames(data: bytes) -> Iterator[bytes]:
    view = memoryview(data)
    while view:
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        yield decompressor.decompress(view)
        rest = decompressor.unused_data
        if len(rest) == len(view):
            raise CorruptObject("a frame that does not end")
        view = memoryview(rest)
