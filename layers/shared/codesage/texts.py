"""A file's bytes in any encoding -> its text, and its lines as git hosts count them."""

import codecs
import io
import re
import tokenize

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def decoded(raw: bytes, *, cookies: bool) -> str:
    """Decode by the byte-order mark, else the cookie, else as UTF-8, else as cp1252. Never fails.

    Args:
        raw: the file as it is in the tree.
        cookies: honour a PEP 263 `coding:` comment.

    Returns:
        The text without its byte-order mark, and otherwise as it is; it can always be encoded.
    """
    text = _decoded(raw, cookies=cookies).removeprefix("\ufeff")
    return text.encode(errors="replace").decode()  # some codecs let lone surrogates through


def lines_of(text: str) -> list[str]:
    """The lines with their ends; joined they are the text. Nothing after the last end is no line."""
    return _LINE.findall(text)


def _decoded(raw: bytes, *, cookies: bool) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return raw.removeprefix(mark).decode(encoding, errors="replace")
    for encoding in (_cookie(raw) if cookies else "utf-8", "utf-8", "cp1252"):
        try:
            return raw.decode(encoding)
        except (UnicodeError, LookupError):  # LookupError: a codec, but not one of text
            continue
    return raw.decode("latin-1")  # every byte has a meaning here; cp1252 leaves five without


def _cookie(raw: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(raw).readline)[0]
    except SyntaxError:  # an unknown name, or one that the first lines contradict
        return "utf-8"
