"""A filter's expression and one record -> whether the record satisfies it."""

from collections.abc import Collection

from local.algolia.filters import COMPARISONS, AllOf, AnyOf, Between, Comparison, Expression, Facet, Not
from tests.ranking_oracle.index import Record, elements


def satisfies(record: Record, expression: Expression, faceted: Collection[str]) -> bool:
    match expression:
        case Facet("objectID", value):
            return record["objectID"] == value
        case Facet(attribute, value):
            return attribute in faceted and value.lower() in {
                text.lower() for text in texts(record, attribute)
            }
        case Comparison(attribute, sign, number):
            return any(COMPARISONS[sign](found, number) for found in numbers(record, attribute))
        case Between(attribute, low, high):
            return any(low <= found <= high for found in numbers(record, attribute))
        case Not(leaf):
            return not satisfies(record, leaf, faceted)
        case AnyOf(terms):
            return any(satisfies(record, term, faceted) for term in terms)
        case AllOf(terms):
            return all(satisfies(record, term, faceted) for term in terms)


def texts(record: Record, attribute: str) -> list[str]:
    found = [
        str(value).lower() if isinstance(value, bool) else value for value in elements(record.get(attribute))
    ]
    return [value for value in found if isinstance(value, str)]


def numbers(record: Record, attribute: str) -> set[float]:
    return {float(value) for value in elements(record.get(attribute)) if isinstance(value, int | float)}
