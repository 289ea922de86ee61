"""A segment <-> one file, whose damage is noticed when it is read.

The file: FORMAT, a checksum of all that follows, the length of a JSON header, the header, then the bytes of
the arrays, aligned for being read where they lie. The header says how long each is, and the names in it.
"""

import json
import mmap
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from local.algolia.segment import Facet, Numeric, Ranked, Segment
from local.algolia.settings import Shape
from local.algolia.texts import Texts
from local.algolia.vocabulary import Vocabulary

FORMAT = b"segment1"  # another number for another layout or other rules of words; older files are not read
PREFIX = struct.Struct("<8sII")
ALIGNMENT = 8

Number = TypeVar("Number", bound=np.generic)
Words = TypeVar("Words", bound=Texts)


def write_segment(path: Path, segment: Segment) -> None:
    """Write `path` in one step. It may be lost or cut short by a power cut; `read_segment` finds out."""
    arrays = [np.ascontiguousarray(array) for array in _arrays(segment)]
    header = {
        "shape": repr(segment.shape),
        "facets": list(segment.facets),
        "numerics": list(segment.numerics),
        "lengths": [len(array) for array in arrays],
    }
    pieces = [_padded(json.dumps(header).encode()), *(_padded(array.tobytes()) for array in arrays)]
    checksum = 0
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
    beside = path.with_suffix(".new")
    with beside.open("wb") as file:
        file.write(PREFIX.pack(FORMAT, checksum, len(pieces[0])))
        file.writelines(pieces)
    beside.replace(path)


def read_segment(path: Path, shape: Shape) -> Segment | None:
    """Map `path`; None where it is missing, damaged, of another format, or made for other settings."""
    try:
        with path.open("rb") as file:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (FileNotFoundError, ValueError):  # ValueError: an empty file cannot be mapped
        return None
    if len(content) < PREFIX.size:
        return None
    found, checksum, header_length = PREFIX.unpack_from(content)
    with memoryview(content)[PREFIX.size :] as checked:
        if found != FORMAT or zlib.crc32(checked) != checksum:
            return None
    arrays = PREFIX.size + header_length
    header = json.loads(content[PREFIX.size : arrays])
    if header["shape"] != repr(shape):
        return None
    reader = _Reader(content, arrays, iter(header["lengths"]))
    return Segment(
        shape,
        reader.array(np.int64),
        reader.texts(Texts),
        reader.texts(Vocabulary),
        reader.array(np.int64),
        reader.array(np.int32),
        reader.array(np.int64),
        reader.array(np.int32),
        {attribute: reader.facet() for attribute in header["facets"]},
        {
            attribute: Numeric(reader.array(np.float64), reader.array(np.int32))
            for attribute in header["numerics"]
        },
        tuple(
            Ranked(reader.array(np.float64), reader.texts(Texts), reader.array(np.int32))
            for _ in shape.ranked
        ),
    )


def _arrays(segment: Segment) -> Iterator[NDArray[np.generic]]:
    """All arrays of a segment, in the order in which they are read again."""
    yield segment.numbers
    yield from segment.object_ids.arrays()
    yield from segment.words.arrays()
    yield from (segment.word_starts, segment.records, segment.place_starts, segment.places)
    for facet in segment.facets.values():
        yield from facet.values.arrays()
        yield from facet.spellings.arrays()
        yield from (facet.starts, facet.records)
    for numeric in segment.numerics.values():
        yield from (numeric.values, numeric.records)
    for ranked in segment.ranked:
        yield ranked.numbers
        yield from ranked.texts.arrays()
        yield ranked.codes


class _Reader:
    """Takes one array after the other.

    Args:
        content: of the file.
        place: where the first array begins.
        lengths: of the arrays, in numbers.
    """

    def __init__(self, content: mmap.mmap, place: int, lengths: Iterator[int]) -> None:
        self._content = content
        self._place = place
        self._lengths = lengths

    def array(self, kind: type[Number]) -> NDArray[Number]:
        length = next(self._lengths)
        array = np.frombuffer(self._content, kind, length, self._place) if length else np.zeros(0, kind)
        self._place += array.nbytes + -array.nbytes % ALIGNMENT
        return array

    def texts(self, kind: type[Words]) -> Words:
        return kind(self.array(np.uint8), self.array(np.int64))

    def facet(self) -> Facet:
        return Facet(self.texts(Texts), self.texts(Texts), self.array(np.int64), self.array(np.int32))


def _padded(piece: bytes) -> bytes:
    return piece + b" " * (-len(piece) % ALIGNMENT)
