"""An archive is never trusted: only regular files below its top folder are read."""

import gzip
import io
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from codesage import archives
from codesage.archives import Spool, inner_path
from codesage.errors import Rejected


def archive_of(members: Iterable[tuple[tarfile.TarInfo, bytes]]) -> io.BytesIO:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, mode
    return info


def test_files_have_the_blob_ids_and_modes_of_git(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_bytes(b"echo hi\n")
    expected = subprocess.run(
        ["git", "hash-object", str(tmp_path / "run.sh")], capture_output=True, check=True, text=True
    ).stdout.strip()

    with Spool() as spool:
        spool.unpack(archive_of([(member("top/run.sh", mode=0o755), b"echo hi\n")]))

        assert spool.files["run.sh"].blob == expected
        assert spool.files["run.sh"].mode == "100755"
        assert spool.read("run.sh") == b"echo hi\n"


def test_no_odd_member_is_read_or_leads_anywhere() -> None:
    with Spool() as spool:
        spool.unpack(
            archive_of(
                [
                    (member("top/ok.py"), b"fine"),
                    (member("../e.py"), b"outside"),
                    (member("/etc/passwd"), b"absolute"),
                    (member("top/../../x.py"), b"up"),
                    (member("top/hard", tarfile.LNKTYPE, "top/ok.py"), b""),
                    (member("top/device", tarfile.CHRTYPE), b""),
                    (member("top/pipe", tarfile.FIFOTYPE), b""),
                    (member("top/d", tarfile.SYMTYPE, "../../out"), b""),
                    (member("top/d/x"), b"below a link"),
                ]
            )
        )

        assert {path: file.mode for path, file in spool.files.items()} == {
            "ok.py": "100644",
            "d": "120000",
            "d/x": "100644",
        }
        assert spool.odd_members == 6


def test_the_first_of_two_equal_paths_counts() -> None:
    with Spool() as spool:
        spool.unpack(archive_of([(member("t/a.py"), b"first"), (member("t/a.py"), b"second")]))

        assert spool.read("a.py") == b"first"


def test_a_bomb_ends_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_UNPACKED_BYTES", 1 << 20)

    with Spool() as spool, pytest.raises(Rejected, match="unpacks to more"):
        spool.unpack(archive_of([(member("t/bomb"), b"\0" * (2 << 20))]))


def test_too_many_members_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)

    with Spool() as spool, pytest.raises(Rejected, match="more than 3 members"):
        spool.unpack(archive_of([(member(f"t/{number}"), b"") for number in range(5)]))


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive at all", archive_of([(member("t/a"), b"x" * 5000)]).read()[:60]],
    ids=["nothing", "something else", "the first bytes of one"],
)
def test_what_is_no_whole_archive_is_rejected(data: bytes) -> None:
    with Spool() as spool, pytest.raises(Rejected):
        spool.unpack(io.BytesIO(data))


@pytest.mark.parametrize("name", ["top", "top/", "/top/a", "top//a", "top/./a", "top/../a", "a\0b/c"])
def test_names_that_are_no_path_within_the_tree(name: str) -> None:
    assert inner_path(name) is None


def test_a_blob_that_is_not_what_it_is_named_is_rejected() -> None:
    with Spool() as spool, pytest.raises(Rejected, match="other bytes"):
        spool.replace("a.py", "100644", "0" * 40, b"text", "sha1")


def test_two_hundred_thousand_files_are_spooled() -> None:
    with Spool() as spool:
        spool.unpack(archive_of((member(f"t/{number}"), b"") for number in range(200_000)))

        assert len(spool.files) == 200_000


class Zeros(io.RawIOBase):
    """A gzip stream of one file of `blocks` times 64 MB of zeros, made as it is read."""

    def __init__(self, blocks: int) -> None:
        info = member("t/huge.bin")
        info.size = blocks << 26
        block = gzip.compress(bytes(1 << 26), compresslevel=1)
        end = gzip.compress(bytes(1024))
        self._parts = iter([gzip.compress(info.tobuf(tarfile.PAX_FORMAT)), *([block] * blocks), end])
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while self._left == b"":
            part = next(self._parts, None)
            if part is None:
                return b""
            self._left = part
        given, self._left = self._left[:size], self._left[size:]
        return given


def test_a_file_of_more_than_2_gb_is_named_and_not_kept() -> None:
    with Spool() as spool:
        spool.unpack(Zeros(33))

        assert spool.files["huge.bin"].size == 33 << 26
        assert not spool.keeps("huge.bin")
