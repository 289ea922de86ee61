"""Bash and other shells: functions in both forms, and files read by `source` or `.`."""

import re
from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.rules import FUNCTION, IMPORT, Rule, Table, no_parameters, part, text_of, unquoted
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_SOURCE_COMMANDS = ("source", ".", "\\.")  # the last one evades an alias

# What a function can be called: not a path, an option or `[`, and by POSIX none of the special built-ins.
_WORD = re.compile(r"(?!-)[\w:-]*[^\W\d][\w:-]*")
_BUILT_IN = frozenset(
    {"break", "continue", "eval", "exec", "exit", "return"}
    | {"set", "shift", "source", "times", "trap", "unset"}
)

# A name that is computed, `"$1"` or `<(print_it)`, is known only when the script runs.
_FILE_NAME = re.compile(r"[^\s$()]+")


def _sources(node: Node, source: Source) -> bool:
    name = part(node, "name")
    return name is not None and text_of(name, source) in _SOURCE_COMMANDS


def _file(node: Node, source: Source) -> Sequence[str]:
    """Return `$HOME/lib.sh` of `. "$HOME"/lib.sh -v`."""
    argument = part(node, "argument")
    return (_path(argument, source),) if argument is not None else ()


def _path(argument: Node, source: Source) -> str:
    pieces = argument.children if argument.type == "concatenation" else [argument]
    return one_line("".join(unquoted(piece, source) for piece in pieces))


def _reference(node: Node, source: Source) -> str:
    """Return a command that may be a function, the file that `source` reads, or what `trap` runs.

    Args:
        node: the command; its first argument; or its second, for the first of `trap`.
    """
    before = node.prev_named_sibling
    if before is None:
        return _word(node, source)
    if before.type == "command_name":
        return _file_name(node, source) if text_of(before, source) in _SOURCE_COMMANDS else ""
    command = before.prev_named_sibling
    return _word(before, source) if command is not None and text_of(command, source) == "trap" else ""


def _file_name(argument: Node, source: Source) -> str:
    name = _path(argument, source).rpartition("/")[2]
    return name if _FILE_NAME.fullmatch(name) else ""


def _word(node: Node, source: Source) -> str:
    name = text_of(node, source)
    return name if _WORD.fullmatch(name) and name not in _BUILT_IN else ""


TABLE = Table(
    rules=(
        Rule("command", IMPORT, "import", name=_file, parameters=no_parameters, when=_sources),
        Rule("function_definition", FUNCTION, "function", parameters=no_parameters),
    ),
    wrappers=frozenset({"redirected_statement"}),
    reference=_reference,
    quotes="\"'",
    keywords=frozenset(
        {"case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "select", "then"}
        | {"time", "until", "while"}
    ),
)
