"""A Markdown parser -> one that knows what MDX adds: statements, comments, components."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

MDX_CODE = "mdx_code"
"""Type of the token of a run of statements or a comment."""

_STATEMENT = re.compile(r"(?:import|export)\b")
_OPENS = re.compile(r"(?:[{(\[`=]|=>)\s*$")
_CLOSES = re.compile(r"^(?:[})\]]|`(?!``))", re.MULTILINE)
_COMMENT_START, _COMMENT_END = "{/*", "*/}"


def mdx_plugin(parser: MarkdownIt) -> None:
    """Take code out of the text. What a component holds is Markdown, indented as its tags are."""
    parser.block.ruler.before("fence", MDX_CODE, _mdx_code)
    parser.disable(["code", "html_block"])


def _mdx_code(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if state.level or silent:
        return False
    if _STATEMENT.match(state.src, state.bMarks[first]):
        last = _end_of_statements(state, first, end)
    elif state.src.startswith(_COMMENT_START, state.bMarks[first] + state.tShift[first]):
        last = _end_of_comment(state, first, end)
    else:
        return False
    if last == first:
        return False
    token = state.push(MDX_CODE, "", 0)
    token.map = [first, last]
    state.line = last
    return True


def _end_of_statements(state: StateBlock, first: int, end: int) -> int:
    """Return the first blank line outside of their braces, as far as the starts of lines tell."""
    last_closing = _last_closing(state)
    is_open = False
    for line in range(first, end):
        start = state.bMarks[line]
        if state.isEmpty(line) and not is_open:
            return line
        if _CLOSES.match(state.src, start):
            is_open = False
        elif _STATEMENT.match(state.src, start) and start < last_closing:
            is_open = is_open or _OPENS.search(state.src[start : state.eMarks[line]]) is not None
    return end


def _last_closing(state: StateBlock) -> int:
    # Found once: to look for a brace that is not there from each statement on would be quadratic.
    key = "last_closing"
    if key not in state.env:
        state.env[key] = max((found.start() for found in _CLOSES.finditer(state.src)), default=0)
    return int(state.env[key])


def _end_of_comment(state: StateBlock, first: int, end: int) -> int:
    """Return the line below the comment's last, `first` where it has no end."""
    if _COMMENT_END not in state.env:
        state.env[_COMMENT_END] = state.src.rfind(_COMMENT_END)
    if state.bMarks[first] >= state.env[_COMMENT_END]:
        return first
    closing = state.src.find(_COMMENT_END, state.bMarks[first])
    return next((line + 1 for line in range(first, end) if state.eMarks[line] > closing), end)
