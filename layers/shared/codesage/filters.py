"""What a caller asks for -> Algolia's filter expression. No value can close its quotes and add a clause.

The engine's grammar allows no AND inside an OR, no conditions of different types in one OR, and no NOT before
a group. So a field of a selection becomes one OR group or, where it excludes, one condition for each value.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from codesage.entities import EntityType
from codesage.errors import InvalidRequest
from codesage.languages import language_named
from codesage.records import LONE_SURROGATE

ENTITY_TYPES = tuple(str(entity_type) for entity_type in EntityType)
WILDCARDS = frozenset("*?")  # and not `[`, because `[id].tsx` is a real file's name
WHOLE = "/**"  # at the end of a path; says what a closing slash says


@dataclass(frozen=True, slots=True)
class Selection:
    """Records of any of these repositories and of any of these languages and so on; an empty field is any.

    Attributes:
        languages: in any spelling that `languages` knows; another one finds nothing.
        paths: a folder or one file each; only a folder where it ends in `/`.
        is_test: only tests, or only what is none.
        excluded: all values are unwanted instead; each is left out for itself.
    """

    repositories: tuple[int, ...] = ()
    languages: tuple[str, ...] = ()
    entity_types: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    is_test: bool | None = None
    excluded: bool = False


def filters(*selections: Selection, hidden: Collection[int] = ()) -> str:
    """The records that every selection lets through. Imports only where a selection names an entity type.

    Args:
        hidden: repositories that are never searched.

    Raises:
        InvalidRequest: an unknown entity type, or an empty language or path, wanted or not.
    """
    wanted = [selection for selection in selections if not selection.excluded]
    conditions = []
    if not any(selection.repositories for selection in wanted):
        conditions.append("repository_id > 0")  # zero is the index's own marker
    if not any(selection.entity_types for selection in wanted):
        # An import line repeats every name it imports and would crowd out the definitions.
        conditions.append(f'NOT entity_type:"{EntityType.IMPORT}"')
    conditions += [f"repository_id != {number}" for number in sorted(hidden)]
    for selection in selections:
        conditions += _unwanted(selection) if selection.excluded else _wanted(selection)
    return " AND ".join(dict.fromkeys(conditions))


def quoted(value: str) -> str:
    """The one place where text becomes part of a filter. Lone surrogates cannot be sent, nor indexed."""
    escaped = LONE_SURROGATE.sub("\ufffd", value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def literal_path(path: str) -> str | None:
    """A path as records have it; of a pattern, the folders before its first wildcard.

    Returns:
        None for a pattern that begins with a wildcard.

    Raises:
        InvalidRequest: nothing is left of the path.
    """
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    if not parts:
        raise InvalidRequest(
            "path is empty; give a folder such as src/auth or a file such as src/auth/tokens.py."
        )
    return "/".join(takewhile(WILDCARDS.isdisjoint, parts)) or None


def path_hints(paths: Iterable[str], *, excluded: bool = False) -> list[str]:
    """For each path that is a pattern, what `filters` made of it."""
    return [_path_hint(path, excluded) for path in paths if _is_pattern(path)]


def _path_hint(path: str, excluded: bool) -> str:
    folder = literal_path(path)
    if excluded:
        effect = "it left nothing out"
    elif folder is None:
        effect = "every folder was searched"
    else:
        effect = f"the folder {folder} was searched"
    return f"path {path} is a pattern, which searches of entities do not take; {effect}."


def _wanted(selection: Selection) -> list[str]:
    # The comparison of numbers is numeric: the facet form would match nothing.
    groups = [
        [f"repository_id={number}" for number in selection.repositories],
        [f"language:{quoted(name)}" for name in _languages(selection)],
        [f"entity_type:{quoted(name)}" for name in _entity_types(selection)],
        _wanted_paths(selection.paths),
    ]
    conditions = [_any_of(group) for group in groups if group]
    if selection.is_test is not None:
        conditions.append(f"is_test={int(selection.is_test)}")
    return conditions


def _unwanted(selection: Selection) -> list[str]:
    conditions = [f"repository_id != {number}" for number in selection.repositories]
    conditions += [f"NOT language:{quoted(name)}" for name in _languages(selection)]
    conditions += [f"NOT entity_type:{quoted(name)}" for name in _entity_types(selection)]
    conditions += [f"NOT {condition}" for path in selection.paths for condition in _unwanted_path(path)]
    if selection.is_test is not None:
        conditions.append(f"is_test={int(not selection.is_test)}")
    return conditions


def _any_of(group: Sequence[str]) -> str:
    return group[0] if len(group) == 1 else f"({' OR '.join(group)})"


def _languages(selection: Selection) -> list[str]:
    if any(not name.strip() for name in selection.languages):
        raise InvalidRequest("language is empty; give a name such as python, or none.")
    return [language_named(name) or name.strip().lower() for name in selection.languages]


def _entity_types(selection: Selection) -> list[str]:
    names = [name.lower() for name in selection.entity_types]
    for name in names:
        if name not in ENTITY_TYPES:
            raise InvalidRequest(f"entity_type {name!r} is unknown; use one of {', '.join(ENTITY_TYPES)}.")
    return names


def _wanted_paths(paths: Iterable[str]) -> list[str]:
    """Empty where one of the alternatives may be anywhere."""
    conditions: list[str] = []
    for path in paths:
        name = literal_path(path)
        if name is None:
            return []
        conditions += _path(path, name)
    return conditions


def _unwanted_path(path: str) -> list[str]:
    """A pattern's folder holds more than what the pattern means, so it cannot be left out."""
    name = None if _is_pattern(path) else literal_path(path)
    return [] if name is None else _path(path, name)


def _path(path: str, name: str) -> list[str]:
    """A folder's name may hold a dot and a file's none, so only a closing slash tells which is meant."""
    folder = f"folders:{quoted(name)}"
    is_folder = _is_pattern(path) or path.rstrip().endswith(("/", WHOLE))
    return [folder] if is_folder else [folder, f"file_path:{quoted(name)}"]


def _is_pattern(path: str) -> bool:
    return not WILDCARDS.isdisjoint(path.rstrip().removesuffix(WHOLE))
