"""A definition's node -> the first line of the comment above it."""

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from codesage.parsing.rules import Table, text_of
from codesage.parsing.source import Source

_MARKERS = re.compile(r"^\s*(?:/\*+/|/\*+!?|//[/!]?|\*+(?!/)|#+|--+)?\s*|\s*\*+/\s*$")

# Comments to tools, not to readers.
_DIRECTIVE = re.compile(
    r"(?:/[/*]|#)(?:[a-z]+:\S|!| *(?:\+build|[cv]8 ignore|nolint|eslint|tslint:|prettier-|istanbul|@ts-"
    r"|rubocop:|frozen_string_literal:|phpcs:|swiftlint:|MARK:|scalafmt:|scalastyle:"
    r"|shellcheck |tflint-|tfsec:|checkov:|trivy:))"
)

# A tag with nothing behind it, or a line drawn.
_NO_TEXT = re.compile(r"(?:@\w+|\{@\w+\}|=(?:begin|end)|\W+)$")

# Each step to a sibling may cost as much as all siblings before it, and a file may be one run of comments.
_MAX_RUN = 200


def doc_line(definition: Node, outermost: Node, table: Table, source: Source) -> str:
    """Return the first line with text of the comment directly above `definition`, else above `outermost`.

    A comment with a blank line below it, or at the end of a line of code, belongs to something else.
    """
    for node in (definition, outermost) if outermost != definition else (definition,):
        comments = list(islice(_comments_above(node, table, source), _MAX_RUN))
        for comment in reversed(comments):
            for line in comment.split("\n"):
                text = table.doc_text(_MARKERS.sub("", line)).strip()
                if text and not _NO_TEXT.match(text):
                    return text
    return ""


def _comments_above(node: Node, table: Table, source: Source) -> Iterator[str]:
    """Yield the adjacent comments from the nearest upward: one block, or a run of line comments."""
    in_run = False
    below, above = node, _before(node, table)
    while above is not None and below.start_point.row - _last_row(above) <= 1:
        if above.type in table.comments:
            text = text_of(above, source)
            is_block = text.startswith("/*")
            if _ends_a_line_of_code(above) or (is_block and in_run):
                return
            if text.startswith(table.doc_marks) and not _DIRECTIVE.match(text):
                yield text
                in_run = True
                if is_block:
                    return
        elif above.type not in table.decorations:
            return
        below, above = above, above.prev_sibling


def _before(node: Node, table: Table) -> Node | None:
    """Return the previous sibling, or the comment that ends it: one after a body without a closing brace."""
    above = tail = node.prev_sibling
    while tail is not None and tail.type not in table.comments:
        tail = tail.child(tail.child_count - 1) if tail.child_count else None
    return above if tail is None else tail


def _ends_a_line_of_code(comment: Node) -> bool:
    before = comment.prev_sibling
    return before is not None and _last_row(before) == comment.start_point.row


def _last_row(node: Node) -> int:
    # Some grammars count the line end in, so that the node ends in column 0 of the next row.
    return node.end_point.row - (node.end_point.column == 0)
