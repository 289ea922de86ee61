"""Algolia's REST API on loopback: records in -> ranked hits out, by the published criteria."""

from local.algolia.faults import Fault
from local.algolia.server import AlgoliaServer

__all__ = ["AlgoliaServer", "Fault"]
