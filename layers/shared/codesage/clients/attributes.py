"""Python values <-> DynamoDB attribute values.

boto3's own serializer gives Decimal for every number and imports its resource layer; a stage reads and writes
tens of thousands of items of whole numbers and strings, so this small table is used instead.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

Value = object


def encode(value: Value) -> "AttributeValueTypeDef":
    """Raises TypeError for what no attribute can hold, an empty set included."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case None:
            return {"NULL": True}
        case bytes():
            return {"B": value}
        case list() | tuple():
            return {"L": [encode(item) for item in value]}
        case Mapping():
            return {"M": {str(name): encode(item) for name, item in value.items()}}
        case frozenset() if value:
            return {"SS": sorted(map(str, value))}
        case _:
            raise TypeError(f"no attribute holds {value!r}")


def decode(value: "AttributeValueTypeDef") -> Value:
    [(kind, content)] = value.items()
    match kind:
        case "N":
            return int(str(content))
        case "NULL":
            return None
        case "L":
            return [decode(item) for item in content]  # type: ignore[attr-defined]
        case "M":
            return {name: decode(item) for name, item in content.items()}  # type: ignore[attr-defined]
        case "SS":
            return frozenset(content)  # type: ignore[call-overload]
        case "NS":
            return frozenset(map(int, content))  # type: ignore[call-overload]
        case _:
            return content


def encode_item(item: Mapping[str, Value]) -> "dict[str, AttributeValueTypeDef]":
    """Leaves out empty sets, which DynamoDB does not have; reading them back gives the default."""
    return {name: encode(value) for name, value in item.items() if value != frozenset()}


def decode_item(item: "Mapping[str, AttributeValueTypeDef]") -> dict[str, Value]:
    return {name: decode(value) for name, value in item.items()}
