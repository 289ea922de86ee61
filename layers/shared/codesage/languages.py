"""A file's path or a name in use -> its language. Loads no grammar, so every function may import it.

To add a language: a row here, `parsing/tables/<name>.py`, cases under `tests/languages/<name>/`.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

PARSER_VERSION = 3
"""Raised when the same bytes may give other entities: files stored by another version are parsed again."""


@dataclass(frozen=True, slots=True)
class Language:
    """How files of one language are told and parsed.

    Attributes:
        name: the record's `language`, and the name of the table module. Dialects that people count as
            one language (TypeScript and TSX) are rows of the same name, each with its own grammar.
        label: the language as people write it, first word of every description.
        extensions: lower case, with the dot; of two, as `.tf.json`, both. A path's case is ignored.
        filenames: whole file names, lower case; these are looked up first.
        grammar: name in tree-sitter-language-pack; None for a format that is read without one.
        wheel: module of a grammar's own wheel, where the pack's reads worse.
    """

    name: str
    label: str
    extensions: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    grammar: str | None = None
    wheel: str | None = None

    @property
    def is_source(self) -> bool:
        """Whether it has a grammar; a document or data has none."""
        return self.grammar is not None or self.wheel is not None


LANGUAGES: tuple[Language, ...] = (
    Language("asciidoc", "AsciiDoc", (".adoc", ".asciidoc")),
    Language("bash", "Bash", (".sh", ".bash"), grammar="bash"),
    Language("c", "C", (".c", ".h"), grammar="c"),
    Language("cpp", "C++", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".inl"), grammar="cpp"),
    Language("csharp", "C#", (".cs",), grammar="csharp"),
    Language("go", "Go", (".go",), grammar="go"),
    Language("java", "Java", (".java",), grammar="java"),
    Language("javascript", "JavaScript", (".js", ".mjs", ".cjs", ".jsx"), grammar="javascript"),
    Language("jupyter", "Jupyter", (".ipynb",)),
    Language("kotlin", "Kotlin", (".kt", ".kts"), wheel="tree_sitter_kotlin"),
    Language("markdown", "Markdown", (".md", ".markdown")),
    Language("mdx", "MDX", (".mdx",)),
    Language("php", "PHP", (".php",), grammar="php"),
    Language("python", "Python", (".py", ".pyi"), grammar="python"),
    Language("restructuredtext", "reStructuredText", (".rst",)),
    Language("ruby", "Ruby", (".rb", ".rake", ".gemspec"), ("rakefile", "gemfile"), grammar="ruby"),
    Language("rust", "Rust", (".rs",), grammar="rust"),
    Language("scala", "Scala", (".scala", ".sc"), wheel="tree_sitter_scala"),
    Language("swift", "Swift", (".swift",), wheel="tree_sitter_swift"),
    Language("terraform", "Terraform", (".tf", ".tfvars", ".hcl"), grammar="hcl"),
    Language("terraform", "Terraform", (".tf.json",)),
    Language("typescript", "TypeScript", (".ts", ".mts", ".cts"), grammar="typescript"),
    Language("typescript", "TypeScript", (".tsx",), grammar="tsx"),
)

SPELLINGS = {
    "golang": "go",
    "python3": "python",
    "nodejs": "javascript",
    "shell": "bash",
    "notebook": "jupyter",
    "c++": "cpp",
    "c#": "csharp",
    "f#": "fsharp",
    ".net": "csharp",
    "objective-c": "objectivec",
}
"""Lower-case spelling -> name, where neither label nor extension gives it. Some have no row yet."""

HEADER = ".h"
CPP_ONLY = re.compile(
    rb"(?m)^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:)"
)
"""What begins a line of C++ and none of C."""

INTERPRETERS = {
    "bash": "bash",
    "dash": "bash",
    "ksh": "bash",
    "sh": "bash",
    "zsh": "bash",
    "node": "javascript",
    "php": "php",
    "python": "python",
    "ruby": "ruby",
}
INTERPRETER = re.compile(rb"#![^\n]*?\b(%s)[\d.]*(?:\s|$)" % "|".join(INTERPRETERS).encode())

_BY_FILENAME = {filename: language for language in LANGUAGES for filename in language.filenames}
_BY_EXTENSION = {extension: language for language in LANGUAGES for extension in language.extensions}
_BY_NAME = {language.name: language for language in reversed(LANGUAGES)}  # of dialects the first
_NAMES = {language.name for language in LANGUAGES}
_BY_SPELLING = (
    {spelling: name for spelling, name in SPELLINGS.items() if name in _NAMES}
    | {extension: language.name for extension, language in _BY_EXTENSION.items()}
    | {extension.removeprefix("."): language.name for extension, language in _BY_EXTENSION.items()}
    | {language.label.lower(): language.name for language in LANGUAGES}
    | {name: name for name in _NAMES}
)


def language_of(path: str, text: bytes = b"") -> Language | None:
    """Return the language of the file at `path`; None when we have no parser for it.

    Its name tells, but for two: a header may be C++ as well as C, and a script may have no extension.

    Args:
        text: the file's bytes, or its beginning; without it a header is C, and such a script nothing.
    """
    filename = PurePosixPath(path.lower()).name
    suffix = PurePosixPath(filename).suffix
    if suffix == HEADER and CPP_ONLY.search(text):
        return _BY_NAME["cpp"]
    two = "".join(PurePosixPath(filename).suffixes[-2:])
    named = _BY_FILENAME.get(filename) or _BY_EXTENSION.get(two) or _BY_EXTENSION.get(suffix)
    if named is not None or suffix or not text.startswith(b"#!"):
        return named
    interpreter = INTERPRETER.match(text)
    return _BY_NAME[INTERPRETERS[interpreter[1].decode()]] if interpreter else None


def language_named(text: str) -> str | None:
    """Return the record name of the language that `text` means; None when we have no parser for it.

    Understood are, in any letter case, name, label, extension with or without its dot, and SPELLINGS.
    """
    return _BY_SPELLING.get(text.strip().lower())
