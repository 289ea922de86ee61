"""Packs give back the bytes that went in, and equal trees give equal packs."""

import json
import os
from dataclasses import replace
from hashlib import sha1

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from codesage.errors import CorruptObject
from codesage.packs import (
    FRAME_BYTES,
    MAGIC,
    MAX_MEAN_PACK_BYTES,
    MAX_PACKS,
    TRAILER,
    PackFile,
    content_hash,
    decode,
    encode,
    pack_count,
    pack_of,
    place_of,
    tail_length,
    text_at,
)

PATHS = st.text(st.characters(blacklist_characters="\0"), min_size=1, max_size=30).filter(
    lambda path: not any("\ud800" <= letter <= "\udc7f" or "\udd00" <= letter <= "\udfff" for letter in path)
)


def packed(texts: dict[str, bytes]) -> tuple[list[PackFile], bytes]:
    files = [
        PackFile(path, sha1(text, usedforsecurity=False).hexdigest(), "100644", len(text))
        for path, text in texts.items()
    ]
    return files, encode(files, texts.__getitem__)


@given(st.dictionaries(PATHS, st.binary(max_size=200), max_size=20))
def test_every_file_comes_out_as_it_went_in(texts: dict[str, bytes]) -> None:
    files, data = packed(texts)

    pack = decode(data, "key")

    assert pack.files == {file.path: file for file in files}
    assert {path: pack.text(path) for path in texts} == texts


def test_files_larger_than_a_frame_are_whole() -> None:
    texts = {f"f{number}": os.urandom(FRAME_BYTES * number + 7) for number in range(4)}

    pack = decode(packed(texts)[1], "key")

    assert {path: pack.text(path) for path in texts} == texts
    assert len(pack.frames) > 1


@given(st.dictionaries(PATHS, st.binary(max_size=FRAME_BYTES), max_size=6), st.integers(0, 100))
def test_one_file_is_read_by_two_ranges(texts: dict[str, bytes], more: int) -> None:
    _, data = packed(texts)
    tail = data[-tail_length(data[-16:], "key") - more :]

    for path, text in texts.items():
        place = place_of(path, tail, "key")

        assert place is not None
        assert text_at(place, data[place.start : place.end], "key") == text
    assert place_of("\0", tail, "key") is None


def test_one_file_of_a_pack_without_lengths_of_frames_is_read_from_the_whole() -> None:
    texts = {f"f{number}": os.urandom(FRAME_BYTES // 2 + number) for number in range(4)}
    _, data = packed(texts)
    start = len(data) - tail_length(data, "key")
    table = json.loads(zstandard.decompress(data[start:-16]))
    del table["frames"]
    old_table = zstandard.compress(json.dumps(table).encode())
    old = data[:start] + old_table + TRAILER.pack(len(old_table), MAGIC)

    for path, text in texts.items():
        place = place_of(path, old, "key")

        assert place is not None
        assert text_at(place, old[place.start : place.end], "key") == text


def test_a_damaged_part_says_which_pack_it_is_of() -> None:
    _, data = packed({"a": b"text" * 100})
    place = place_of("a", data, "some-key")
    assert place is not None

    with pytest.raises(CorruptObject, match="some-key"):
        tail_length(b"x" * 16, "some-key")
    with pytest.raises(CorruptObject, match="some-key"):
        place_of("a", data[-20:], "some-key")
    with pytest.raises(CorruptObject, match="some-key"):
        text_at(place, b"x" * 40, "some-key")
    with pytest.raises(CorruptObject, match="some-key"):
        text_at(replace(place, size=401), data[place.start : place.end], "some-key")


def test_the_hash_is_over_facts_in_any_order_and_not_over_compressed_bytes() -> None:
    files, _ = packed({"a": b"1", "b": b"2"})

    assert content_hash(files) == content_hash(reversed(files))
    assert content_hash(files) != content_hash(files[:1])
    assert content_hash(files) != content_hash([files[0], PackFile("b", files[1].blob, "100755", 1)])


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: b"x" + data[1:], lambda _: b""])
def test_a_damaged_pack_says_which_it_is(spoil) -> None:  # type: ignore[no-untyped-def]
    _, data = packed({"a": b"text" * 100})

    with pytest.raises(CorruptObject, match="some-key"):
        decode(spoil(data), "some-key")


@pytest.mark.parametrize(
    ("size", "count"),
    [
        (0, 1),
        (MAX_MEAN_PACK_BYTES, 1),
        (MAX_MEAN_PACK_BYTES + 1, 2),
        (5 * MAX_MEAN_PACK_BYTES, 8),
        (MAX_MEAN_PACK_BYTES * 4096, MAX_PACKS),
    ],
)
def test_there_are_as_few_packs_as_keep_the_mean_small(size: int, count: int) -> None:
    assert pack_count(size) == count


@given(PATHS, st.sampled_from([1, 2, 64, 1024]))
def test_a_path_has_one_pack_within_the_count(path: str, count: int) -> None:
    assert 0 <= pack_of(path, count) < count
