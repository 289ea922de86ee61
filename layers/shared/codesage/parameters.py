"""What a client sends, in a URL or as JSON -> a model, or the first thing that is wrong, by its name."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar, get_origin

from pydantic import BaseModel, BeforeValidator, ValidationError
from pydantic_core import PydanticCustomError

from codesage.errors import InvalidRequest

B = TypeVar("B", bound=BaseModel)


def _digits(text: object) -> object:
    """Digits and nothing else: Python also takes `1_0` and `1.0`."""
    if isinstance(text, str) and not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise PydanticCustomError("whole", "It is a whole number of at most nine digits")
    return text


Whole = Annotated[int, BeforeValidator(_digits)]
"""A number in a URL."""


def read_query(model: type[B], query: Mapping[str, Sequence[str]]) -> B:
    """Parameters of a URL, each with all of its values.

    A field that is a tuple takes all of them. Of any other the last counts, and an empty one counts as not
    given, unless the parameter is needed.

    Raises:
        InvalidRequest: names the parameter and its limit.
    """
    given: dict[str, object] = {}
    for name, values in query.items():
        field = model.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is tuple:
            given[name] = tuple(filter(None, values))
        elif values and (values[-1] or (field is not None and field.is_required())):
            given[name] = values[-1]
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise InvalidRequest(_problem(error, "parameter")) from error


def read_body(model: type[B], body: bytes) -> B:
    """A body of JSON. Raises InvalidRequest, which names what is wrong with it."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise InvalidRequest(_problem(error, "field")) from error


def _problem(error: ValidationError, noun: str) -> str:
    problem = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in problem["loc"] if not isinstance(part, int)) or "The body"
    if problem["type"] == "extra_forbidden":
        return f"{name}: there is no such {noun}."
    return f"{name}: {problem['msg']}."
