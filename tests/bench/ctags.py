"""Files of one language -> the definitions that universal-ctags finds in them, and which of those we miss."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from codesage.entities import Entity, EntityType
from tests.bench.trees import SourceFile

INSTALL = "apt-get install universal-ctags"
NEAR_LINES = 4
"""A definition of ours begins with its modifiers and return type, many of ctags' at the name."""

KINDS: Mapping[str, tuple[str, str]] = {
    "bash": ("Sh", "f"),
    "c": ("C", "dfgstu"),
    "cpp": ("C++", "cdfgstu"),
    "csharp": ("C#", "cgimst"),
    "go": ("Go", "afinst"),
    "java": ("Java", "acgim"),
    "javascript": ("JavaScript", "GScfgm"),
    "kotlin": ("Kotlin", "Tcimo"),
    "php": ("PHP", "cfit"),
    "python": ("Python", "cfm"),
    "ruby": ("Ruby", "Scfm"),
    "rust": ("Rust", "MPfgist"),
    "typescript": ("TypeScript", "Gacfgim"),
}
"""Language -> its name in ctags, and the letters of the kinds that are entities with us."""

_MADE_UP = re.compile(r"__anon\w+|Anonymous(?:Function|Class)\w+|<lambda>")
"""Names that ctags gives to what has none."""

_WRITTEN: Mapping[tuple[str, str], str] = {
    ("bash", "function"): r"(?<!=)\(\s*\)|\bfunction\b",  # not an array: `names=()`
    ("c", "macro"): r"{name}\(",  # not a constant
    ("cpp", "macro"): r"{name}\(",
    ("csharp", "macro"): r"{name}\(",
    ("csharp", "class"): r"\bclass\s+{name}\b",  # not `where T : class`
    ("javascript", "class"): r"\bclass\b|\bfunction\b",  # not an object: `options: {`
    ("kotlin", "method"): r"\bfun\b.*{name}`?\s*[(<]",  # not a parameter of a lambda
    ("typescript", "alias"): r"\btype\s+{name}\s*(?:[<=]|$)",  # not `import { type Name }`
}
"""Language and kind -> what the line of such a definition says. Tags on other lines are of something else."""


@dataclass(frozen=True, slots=True)
class Tag:
    """What ctags takes for a definition.

    Attributes:
        text: its line.
    """

    path: str
    line: int
    kind: str
    name: str
    text: str


class _Row(TypedDict):
    """A line of ctags' output."""

    name: str
    path: str
    line: int
    kind: str
    language: str


def version() -> str | None:
    """Return the installed version; None where there is none, or one that cannot write JSON."""
    if shutil.which("ctags") is None:
        return None
    said = subprocess.run(["ctags", "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition(",")[0] if said.startswith("Universal Ctags") and "+json" in said else None


def tags(language: str, folder: Path, files: Sequence[SourceFile]) -> list[Tag]:
    """Return the tags of `files`, which are below `folder`, each once; `language` is one of KINDS."""
    name, kinds = KINDS[language]
    words = ["--options=NONE", "--quiet", "--sort=no", "--output-format=json", "--fields=NFnKl"]
    ctags = subprocess.run(
        ["ctags", *words, f"--language-force={name}", f"--kinds-{name}={kinds}", "-L", "-", "-f", "-"],
        cwd=folder,
        input="".join(f"{file.path}\n" for file in files),
        capture_output=True,
        text=True,
        errors="replace",
        check=True,
    )
    rows: Iterable[_Row] = map(json.loads, ctags.stdout.splitlines())
    lines = {file.path: file.text.decode(errors="replace").split("\n") for file in files}
    return list(dict.fromkeys(_tag(row, lines) for row in rows if row["language"] == name))


def is_definition(tag: Tag, language: str) -> bool:
    """Whether somebody defined under this name what an entity can be."""
    written = _WRITTEN.get((language, tag.kind), "").format(name=re.escape(tag.name))
    return not _MADE_UP.fullmatch(tag.name) and re.search(written, tag.text) is not None


def missed(tags: Iterable[Tag], entities: Mapping[str, Iterable[Entity]]) -> list[Tag]:
    """Return the tags that none of `entities`, by path, has: the same name at about the same line."""
    places: dict[tuple[str, str], list[Entity]] = defaultdict(list)
    for path, found in entities.items():
        for entity in found:
            if entity.entity_type is not EntityType.IMPORT:
                places[path, _plain(entity.name)].append(entity)
    return [
        tag
        for tag in tags
        if not any(
            _is_near(tag.line, entity) for name in _names(tag) for entity in places.get((tag.path, name), ())
        )
    ]


def _tag(row: _Row, lines: Mapping[str, Sequence[str]]) -> Tag:
    path, line = row["path"], row["line"]
    text = lines[path][line - 1].strip() if line <= len(lines[path]) else ""
    return Tag(path, line, row["kind"], row["name"], text)


def _is_near(line: int, entity: Entity) -> bool:
    """The name of a C `typedef` is behind all that it stands for."""
    return abs(line - entity.line_start) <= NEAR_LINES or line == entity.line_end


def _names(tag: Tag) -> Iterator[str]:
    """What the definition may be called with us: of a qualified name we take the last part."""
    yield _plain(tag.name)
    for separator in ("::", "."):
        _, found, last = tag.name.rpartition(separator)
        if found:
            yield _plain(last)


def _plain(name: str) -> str:
    """`operator ==` and `operator==`, `#run` and `run` are spelled alike."""
    return name.replace(" ", "").removeprefix("#")
