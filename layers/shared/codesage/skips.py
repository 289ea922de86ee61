"""A path and its bytes -> why a file gets no entities, if so. A skip is never an error; it is counted."""

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePosixPath

from codesage.ignores import Ignores
from codesage.languages import PARSER_VERSION, language_of
from codesage.origins import is_generated, is_minified, is_vendored

SNIFF_BYTES = 8_000  # git's own window for telling binary files
RULES_VERSION = f"2.{PARSER_VERSION}"
"""Raised whenever the same tree may be decided otherwise: then every path is decided again.

A new parser may bring a language, whose files were skipped until then, so its version is a part."""

MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_PARSED_BYTES = 1024 * 1024
SECRET_NAMES = re.compile(
    r"id_(rsa|dsa|ecdsa|ed25519)|.*\.(pem|key|p12|pfx|keystore|jks)|\.env(\..+)?|\.netrc|\.pgpass"
)
SECRET_EXAMPLES = re.compile(r"\.env\.(example|sample|template|dist)")
LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\r?\n(?:[a-z0-9.-]+ [^\n]*\n)*"
    rb"oid sha256:[0-9a-f]{64}\r?\nsize \d+\r?\n?"
)
LFS_POINTER_MAX_BYTES = 1024


class Skip(StrEnum):
    """Every reason a file has no entities."""

    GENERATED = "generated"
    VENDORED = "vendored"
    MINIFIED = "minified"
    NO_LANGUAGE = "no_language"
    TOO_LARGE_TO_PARSE = "too_large_to_parse"
    PARSER_TIMEOUT = "parser_timeout"
    PARSER_CRASH = "parser_crash"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    IGNORED = "ignored"
    SECRET = "secret"  # noqa: S105 - the reason's name
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    LFS_POINTER = "lfs_pointer"
    NOT_IN_ARCHIVE = "not_in_archive"
    OVER_LIMIT = "over_limit"


TREE_ONLY = frozenset(
    {
        Skip.BINARY,
        Skip.TOO_LARGE,
        Skip.IGNORED,
        Skip.SECRET,
        Skip.SYMLINK,
        Skip.SUBMODULE,
        Skip.LFS_POINTER,
        Skip.NOT_IN_ARCHIVE,
        Skip.OVER_LIMIT,
    }
)
"""Reasons whose files are in the tree object only. The text of all others is in a pack."""


EXPLANATIONS: Mapping[Skip, str] = {
    Skip.GENERATED: "a generator wrote it; `-linguist-generated` in .gitattributes says otherwise",
    Skip.VENDORED: "it is somebody else's code; `-linguist-vendored` in .gitattributes says otherwise",
    Skip.MINIFIED: "it is minified; `-linguist-generated` in .gitattributes says otherwise",
    Skip.NO_LANGUAGE: "its language is not parsed",
    Skip.TOO_LARGE_TO_PARSE: f"it is larger than {MAX_PARSED_BYTES >> 20} MB, which is not parsed",
    Skip.PARSER_TIMEOUT: "its parser did not end in time",
    Skip.PARSER_CRASH: "its parser crashed",
    Skip.BINARY: "it is binary",
    Skip.TOO_LARGE: f"it is larger than {MAX_FILE_BYTES >> 20} MB",
    Skip.IGNORED: "a .codesageignore file leaves it out",
    Skip.SECRET: "its name is that of a file with secrets",
    Skip.SYMLINK: "it is a symbolic link; its target is indexed where it stands",
    Skip.SUBMODULE: "it is a submodule; index that repository by itself",
    Skip.LFS_POINTER: "it is a pointer to a large file, not its content",
    Skip.NOT_IN_ARCHIVE: "the host's archive leaves it out, and too many such files would have to be fetched",
    Skip.OVER_LIMIT: "the repository is over its limits, and what comes later in path order is left out",
}


def skip_of_path(path: str, mode: str, size: int, ignores: Ignores) -> Skip | None:
    """What can be told without a file's bytes. Only reasons of TREE_ONLY."""
    name = PurePosixPath(path).name
    if mode == "120000":
        return Skip.SYMLINK
    if mode == "160000":
        return Skip.SUBMODULE
    if SECRET_NAMES.fullmatch(name) and not SECRET_EXAMPLES.fullmatch(name):
        return Skip.SECRET
    if ignores.ignores(path):
        return Skip.IGNORED
    return Skip.TOO_LARGE if size > MAX_FILE_BYTES else None


def skip_of_text(path: str, text: bytes, ignores: Ignores) -> Skip | None:
    """What the bytes tell. `text` is the whole file, at most MAX_FILE_BYTES."""
    if b"\0" in text[:SNIFF_BYTES] and not text.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Skip.BINARY
    if len(text) <= LFS_POINTER_MAX_BYTES and LFS_POINTER.fullmatch(text):
        return Skip.LFS_POINTER
    vendored = ignores.attribute(path, "linguist-vendored")
    if is_vendored(path) if vendored is None else vendored:
        return Skip.VENDORED
    language = language_of(path, text)
    generated = ignores.attribute(path, "linguist-generated")
    if generated is None and is_minified(path, text):
        return Skip.MINIFIED
    is_source = language is not None and language.is_source
    if is_generated(path, text, is_source=is_source) if generated is None else generated:
        return Skip.GENERATED
    if language is None:
        return Skip.NO_LANGUAGE
    return Skip.TOO_LARGE_TO_PARSE if len(text) > MAX_PARSED_BYTES else None
