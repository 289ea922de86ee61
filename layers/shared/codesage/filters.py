"""What a caller asks for -> Algolia's filter expression. No value can close its quotes and add a clause."""

from collections.abc import Collection, Sequence

from codesage.entities import EntityType
from codesage.errors import InvalidRequest

ENTITY_TYPES = tuple(str(entity_type) for entity_type in EntityType)


def quoted(value: str) -> str:
    """The one place where text becomes part of a filter."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def filters(
    *,
    repositories: Sequence[int] = (),
    hidden: Collection[int] = (),
    language: str | None = None,
    entity_type: str | None = None,
    path: str | None = None,
) -> str:
    """Conditions joined with AND; several repositories are one OR group.

    Args:
        repositories: only these; empty for all of the organisation.
        hidden: never these.
        path: a folder or one file; only a folder where it ends in `/`.

    Raises:
        InvalidRequest: an unknown entity type.
    """
    conditions = [_repositories(repositories)]
    conditions += [f"repository_id != {number}" for number in sorted(hidden)]
    if language is not None:
        conditions.append(f"language:{quoted(language.lower())}")
    conditions.append(_entity_type(entity_type))
    if path is not None:
        conditions.append(_path(path))
    return " AND ".join(conditions)


def _repositories(numbers: Sequence[int]) -> str:
    """The comparison is numeric: the facet form would match nothing. Zero is the index's own marker."""
    if not numbers:
        return "repository_id > 0"
    group = " OR ".join(f"repository_id={number}" for number in numbers)
    return f"({group})" if len(numbers) > 1 else group


def _entity_type(entity_type: str | None) -> str:
    """An import line repeats every name it imports and would crowd out the definitions."""
    if entity_type is None:
        return f'NOT entity_type:"{EntityType.IMPORT}"'
    if entity_type not in ENTITY_TYPES:
        raise InvalidRequest(f"entity_type {entity_type!r} is unknown; use one of {', '.join(ENTITY_TYPES)}.")
    return f"entity_type:{quoted(entity_type)}"


def _path(path: str) -> str:
    """A folder's name may hold a dot and a file's none, so only a closing slash tells which is meant."""
    name = path.strip().removeprefix("./").strip("/")
    if not name:
        raise InvalidRequest(
            "path is empty; give a folder such as src/auth or a file such as src/auth/tokens.py."
        )
    folder = f"folders:{quoted(name)}"
    return folder if path.rstrip().endswith("/") else f"({folder} OR file_path:{quoted(name)})"
