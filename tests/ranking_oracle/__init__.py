"""Records and a query -> the answer by the engine's rules, in plain loops: what the engine is held against.

It shares with the engine how texts become words, how queries, settings and filters are read, and nothing of
how records are found and ranked.
"""

from tests.ranking_oracle.answers import answer
from tests.ranking_oracle.index import Index

__all__ = ["Index", "answer"]
