"""Bash and other shells: functions in both forms, and files read by `source` or `.`."""

from collections.abc import Sequence

from tree_sitter import Node

from codesage.parsing.rules import FUNCTION, IMPORT, Rule, Table, no_parameters, part, text_of, unquoted
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

_SOURCE_COMMANDS = ("source", ".", "\\.")  # the last one evades an alias


def _sources(node: Node, source: Source) -> bool:
    name = part(node, "name")
    return name is not None and text_of(name, source) in _SOURCE_COMMANDS


def _file(node: Node, source: Source) -> Sequence[str]:
    """Return `$HOME/lib.sh` of `. "$HOME"/lib.sh -v`."""
    argument = part(node, "argument")
    if argument is None:
        return ()
    pieces = argument.children if argument.type == "concatenation" else [argument]
    return (one_line("".join(unquoted(piece, source) for piece in pieces)),)


TABLE = Table(
    rules=(
        Rule("command", IMPORT, "import", name=_file, parameters=no_parameters, when=_sources),
        Rule("function_definition", FUNCTION, "function", parameters=no_parameters),
    ),
    wrappers=frozenset({"redirected_statement"}),
    quotes="\"'",
    keywords=frozenset(
        {"case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "select", "then"}
        | {"time", "until", "while"}
    ),
)
