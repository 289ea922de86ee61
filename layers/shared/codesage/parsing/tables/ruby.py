"""Ruby: classes, modules, methods however they are defined, and `require`.

Much that defines is a call here: `private def x`, `define_method(:x)`, `Point = Struct.new(:x)`.
"""

from collections.abc import Callable, Sequence

from tree_sitter import Node

from codesage.parsing.rules import (
    CLASS,
    FUNCTION,
    IMPORT,
    Rule,
    Table,
    last_segment,
    no_parameters,
    part,
    text_of,
    unquoted,
)
from codesage.parsing.signature import one_line
from codesage.parsing.source import Source

# A call that makes a class -> the word for it, once a constant holds the class.
_MAKERS = {"Class.new": "class", "Module.new": "module", "Struct.new": "struct", "Data.define": "class"}

_REOPENERS = frozenset({"class_eval", "class_exec", "module_eval", "module_exec"})

# Of all calls the few that may define: `require "set"`, `define_method(:total)`, `Cart.class_eval do`,
# `refine Cart do`.
_CALLS = """[
  (call !receiver arguments: (argument_list (string) .))
  (call !receiver arguments: (argument_list . [(simple_symbol) (string)]))
  (call receiver: [(constant) (scope_resolution)] block: (_))
  (call !receiver arguments: (argument_list . [(constant) (scope_resolution)]) block: (_))
]"""
_ASSIGNMENTS = "(assignment left: [(constant) (scope_resolution)] right: (call receiver: (constant)))"

# What a call does with the names it is given.
_REQUIRES = frozenset({"autoload", "load", "require", "require_relative"})
_MIXES_IN = frozenset({"extend", "include", "prepend"})
_GIVES_FIELDS = frozenset({"Struct.new", "Data.define"}) | {
    f"{owner}_{word}" for owner in ("attr", "cattr", "mattr") for word in ("accessor", "reader", "writer")
}
_REACHES = frozenset(
    {
        "__send__",
        "instance_method",
        "method",
        "public_method",
        "public_send",
        "respond_to?",
        "send",
        "try",
    }
)


def _calls(*names: str) -> Callable[[Node, Source], bool]:
    """Return the condition that a call is one of `names`, without a receiver."""

    def condition(node: Node, source: Source) -> bool:
        method = part(node, "method")
        return method is not None and text_of(method, source) in names and part(node, "receiver") is None

    return condition


def _arguments(node: Node) -> Sequence[Node]:
    arguments = part(node, "arguments")
    return arguments.named_children if arguments is not None else ()


def _literal(node: Node, source: Source) -> Sequence[str]:
    """Return the text of a string or symbol; nothing of one that is worked out."""
    if node.type not in ("simple_symbol", "string") or any(c.type == "interpolation" for c in node.children):
        return ()
    return (unquoted(node, source).removeprefix(":"),)


def _required(node: Node, source: Source) -> Sequence[str]:
    """Return `set` of `require "set"` and of `autoload :Set, "set"`."""
    last = _arguments(node)[-1:]
    return _literal(last[0], source) if last and last[0].type == "string" else ()


def _constant(node: Node, source: Source) -> Sequence[str]:
    """Return `Cart` of `class Shop::Cart` and of `Shop::Cart = …`."""
    named = part(node, "left" if node.type == "assignment" else "name")
    if named is not None and named.type == "scope_resolution":
        named = part(named, "name")
    is_constant = named is not None and named.type == "constant" and not named.is_missing
    return (text_of(named, source),) if named is not None and is_constant else ()


def _superclass(node: Node, source: Source) -> Sequence[str]:
    clause = part(node, "superclass")
    parents = clause.named_children if clause is not None else ()
    return [one_line(text_of(parent, source)) for parent in parents]


def _after_header(node: Node, _source: Source) -> Node | None:
    """Return what follows the superclass, the parameters or the name: an empty body is no node."""
    fields = ("superclass", "parameters", "name")
    last = next((found for field in fields if (found := part(node, field)) is not None), None)
    return last.next_sibling if last is not None else None


def _called(call: Node, source: Source) -> str:
    """Return `Struct.new` of `Struct.new(:x)`, `include` of `include Priced`."""
    receiver, method = part(call, "receiver"), part(call, "method")
    if method is None:
        return ""
    return f"{text_of(receiver, source)}.{text_of(method, source)}" if receiver else text_of(method, source)


def _maker(node: Node, source: Source) -> str:
    """Return `Struct.new` of `Point = Struct.new(:x)`."""
    made = part(node, "right")
    return _called(made, source) if made is not None else ""


def _makes_class(node: Node, source: Source) -> bool:
    return _maker(node, source) in _MAKERS


def _made_word(node: Node, source: Source) -> str:
    return _MAKERS[_maker(node, source)]


def _made_parents(node: Node, source: Source) -> Sequence[str]:
    """Return what `Class.new` is given; the other makers are given names of members."""
    made = part(node, "right")
    if made is None or _maker(node, source) != "Class.new":
        return ()
    return [one_line(text_of(argument, source)) for argument in _arguments(made)]


def _singleton(node: Node, source: Source) -> str | None:
    """Return `Cart` of `def Cart.open`; `self` is the type around it."""
    receiver = part(node, "object")
    return text_of(receiver, source) if receiver is not None and receiver.type != "self" else None


def _opens_other(node: Node, source: Source) -> bool:
    """Tell `class << cart` from `class << self`, whose methods are those of the type around it."""
    value = part(node, "value")
    return value is not None and text_of(value, source) != "self"


def _defined_name(node: Node, source: Source) -> Sequence[str]:
    """Return `total` of `define_method(:total)`."""
    first = _arguments(node)[:1]
    return _literal(first[0], source) if first else ()


def _reopened(node: Node, source: Source) -> Sequence[str]:
    """Return `Cart` of `Cart.class_eval do` and of `refine Cart do`."""
    method, target = part(node, "method"), part(node, "receiver")
    if method is None or part(node, "block") is None:
        return ()
    called = text_of(method, source)
    if target is None and called == "refine":
        target = next(iter(_arguments(node)), None)
    elif called not in _REOPENERS:
        return ()
    if target is not None and target.type == "scope_resolution":
        target = part(target, "name")
    return (text_of(target, source),) if target is not None and target.type == "constant" else ()


def _texts(listed: Node | None, source: Source) -> Sequence[str]:
    """Return `a`, `*rest` and `tax:` of `(a = 1, *rest, tax: 0.2)`."""
    texts = []
    for parameter in listed.named_children if listed is not None else ():
        if parameter.type != "comment":
            value = part(parameter, "value")
            end = value.start_byte if value is not None else parameter.end_byte
            texts.append(one_line(source.text(parameter.start_byte, end)).rstrip(" ="))
    return texts


def _parameters(node: Node, source: Source) -> Sequence[str]:
    return _texts(part(node, "parameters"), source)


def _block_parameters(node: Node, source: Source) -> Sequence[str]:
    return _texts(part(node, "block.parameters"), source)


def _taker(argument: Node, source: Source) -> str | None:
    """Return `Struct.new` for the `:x` of `Struct.new(:x)`; None for what is no argument of a call.

    The last name of `Shop::Priced` stands for the whole.
    """
    holder = argument.parent
    if holder is not None and holder.type == "scope_resolution":
        holder = holder.parent
    is_listed = holder is not None and holder.type == "argument_list"
    return _called(holder.parent, source) if holder is not None and is_listed and holder.parent else None


def _method_of(taker: str) -> str:
    return taker.rpartition(".")[2]


def _reference(node: Node, source: Source) -> str:
    """Return nothing for a string that is not required, or a symbol that is not surely a method's."""
    if node.type not in ("string", "simple_symbol"):
        return text_of(node, source)
    taker = _taker(node, source)
    if node.type == "string":
        return last_segment(node, source) if taker in _REQUIRES else ""
    is_method = taker is None or _method_of(taker) in _REACHES  # only `&:name` is no argument
    return text_of(node, source)[1:] if is_method else ""


def _inherits(node: Node, source: Source) -> bool:
    taker = _taker(node, source)
    return taker is None or _method_of(taker) in _MIXES_IN  # only a superclass is no argument


def _symbol(node: Node, source: Source) -> str:
    """Return `price` of `attr_reader :price`, and nothing for what other calls are given."""
    if node.type != "simple_symbol":
        return text_of(node, source)
    return text_of(node, source)[1:] if _taker(node, source) in _GIVES_FIELDS else ""


TABLE = Table(
    rules=(
        Rule(
            "call", IMPORT, "import", name=_required, when=_calls("require", "require_relative", "autoload")
        ),
        Rule(
            "call",
            FUNCTION,
            "function",
            name=_defined_name,
            parameters=_block_parameters,
            body="block",
            when=_calls("define_method", "define_singleton_method"),
        ),
        Rule("call", None, name=_reopened, is_type=True),
        Rule(
            "class", CLASS, "class", name=_constant, parameters=_superclass, body=_after_header, is_type=True
        ),
        Rule(
            "module",
            CLASS,
            "module",
            name=_constant,
            parameters=no_parameters,
            body=_after_header,
            is_type=True,
        ),
        Rule(
            "assignment",
            CLASS,
            _made_word,
            name=_constant,
            parameters=_made_parents,
            body="right.block",
            is_type=True,
            when=_makes_class,
        ),
        Rule("singleton_class", None, name="value", is_type=True, when=_opens_other),
        Rule("method", FUNCTION, "function", parameters=_parameters, body=_after_header),
        Rule(
            "singleton_method",
            FUNCTION,
            "function",
            parameters=_parameters,
            body=_after_header,
            owner=_singleton,
        ),
    ),
    patterns={"call": _CALLS, "assignment": _ASSIGNMENTS},
    # The comment above a body's first definition stands before the body.
    wrappers=frozenset({"argument_list", "body_statement", "call"}),
    leading=frozenset({"method"}),
    symbol=_symbol,
    reference=_reference,
    inherits=_inherits,
    quotes="\"'",
    keywords=frozenset({"begin", "class", "def", "do", "end", "if", "module", "unless", "until", "while"}),
)
