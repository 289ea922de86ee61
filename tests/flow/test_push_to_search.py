"""A signed push travels through every function, and each store then holds exactly what it should."""

from collections.abc import Callable
from pathlib import Path

import pytest

from codesage import packs, trees
from codesage.clients.attributes import decode_item
from tests.repositories import GitRepository
from tests.service import Service, eventually
from tests.unit.test_records import BODY

WEB = "https://github.com/octo/hello"
TOKENS = f'''"""Tokens."""

from time import time
{chr(10) * 35}

@audited
{BODY}
'''
GUIDE = """# Guide

How to begin.

## Installation

Nothing to install.
"""
SERVER_GO = """package server

// Close stops the server and waits for its workers.
func (s *Server) Close() error {
	return s.stop()
}
"""
STORE_TS = """/** Keeps values. */
export class Store {
  get(key: string): number {
    return 1;
  }
}
"""
FILES: dict[str, str | bytes | None] = {
    "src/auth/tokens.py": TOKENS,
    "docs/guide.md": GUIDE,
    "server/server.go": SERVER_GO,
    "web/store.ts": STORE_TS,
    "logo.png": b"\x89PNG\0\0",
    "notes.txt": "plain text\n",
}
WORKED_EXAMPLE = {
    "entity_type": "function",
    "entity_name": "refresh_token",
    "description": "Python function: refresh_token — Return a new access token for a refresh token.",
    "file_path": "src/auth/tokens.py",
    "language": "python",
    "parameters": ["session", "token: str"],
    "return_type": "str",
    "line_start": 42,
    "line_end": 48,
    "signature": "def refresh_token(session, token: str) -> str:",
    "content": BODY,
    "rank_weight": 2,
    "is_test": False,
    "parameter_count": 2,
    "lines_of_code": 7,
    "folders": ["src", "src/auth"],
    "joined_name": "refreshtoken token",
}

MakeRepository = Callable[[dict[str, str | bytes | None]], GitRepository]


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    repository = GitRepository(tmp_path / "hello")
    repository.commit(FILES)
    return repository


def test_a_push_becomes_searchable_and_every_store_holds_what_it_should(
    service: Service, repository: GitRepository
) -> None:
    report = service.index(repository, "octo/hello", WEB)

    number, commit = report["id"], repository.git("rev-parse", "HEAD")
    assert report["counts"] == {
        "files": 5,
        "bytes": sum(len(text) for path, text in FILES.items() if text is not None and path != "logo.png"),
        "function": 3,
        "class": 1,
        "doc_section": 2,
        "import": 1,
        "duplicates": 0,
        "oversize": 0,
    }
    assert report["skips"] == {"binary": 1, "no_language": 1}

    # Algolia: one record per entity, the worked example byte for byte.
    records = service.algolia_records(number)
    object_id = f"{number}_07946c80715046c23e5533f046a8e8b6c92231e5"
    example = {**WORKED_EXAMPLE, "objectID": object_id, "repository_id": number}
    [found] = [record for record in records.values() if record["entity_name"] == "refresh_token"]
    assert {name: found[name] for name in example} == example
    assert {record["entity_name"] for record in records.values()} == {
        "refresh_token",
        "time",
        "Guide",
        "Installation",
        "Close",
        "Store",
        "get",
    }

    # DynamoDB: the same records, whole; a file item per file of the pack, unmarked; no run in flight.
    entities = [decode_item(item) for item in service.items(f"O#default#R#{number}#E#")]
    stored = {str(entity["objectID"]): entity for entity in entities}
    assert stored.keys() == records.keys()
    for object_id, record in records.items():
        assert {name: stored[object_id][name] for name in record} == record
    assert {entity["commit"] for entity in entities} == {commit}
    files = [decode_item(item) for item in service.items(f"O#default#R#{number}#1.0")]
    assert {str(file["SK"]): file["writing"] for file in files} == {
        f"FILE#{path}": False for path in FILES if path != "logo.png"
    }
    eventually(lambda: service.run_entry(number), lambda entry: entry == [])

    # S3: the tree names every path, the pack holds every text.
    [(_, tree_data)] = service.objects(f"trees/default/{number}/").items()
    tree = trees.decode(tree_data, "tree")
    assert {entry.path: entry.skip for entry in tree.entries} == {
        **dict.fromkeys(FILES),
        "logo.png": "binary",
        "notes.txt": "no_language",
    }
    [(key, pack_data)] = service.objects(f"packs/default/{number}/").items()
    pack = packs.decode(pack_data, key)
    assert key.endswith(tree.hashes[0])
    assert pack.text("docs/guide.md") == GUIDE.encode()

    # Search: the function, with a link to its very lines at this commit.
    [hit] = service.search("refresh token", repository="octo/hello", entity_type="function")
    assert hit["url"] == f"{WEB}/blob/{commit}/src/auth/tokens.py#L42-L48"
    assert hit["snippet"] == BODY


def test_a_second_push_sends_only_what_differs(service: Service, repository: GitRepository) -> None:
    number = service.index(repository, "octo/second", WEB)["id"]
    before = service.stack.algolia.operations.copy()
    repository.git("mv", "server/server.go", "server/moved.go")
    commit = repository.commit(
        {"src/auth/tokens.py": TOKENS.replace("session.touch", "session.renew"), "docs/guide.md": None}
    )

    report = service.index(repository, "octo/second", WEB)

    assert service.stack.algolia.operations - before == {"addObject": 2, "deleteObject": 3}
    done = report["last_run"]
    assert done.pop("request_units") > 0
    assert done == {
        "files": 2,
        "parsed": 2,
        "bytes": len(TOKENS) + len(SERVER_GO),
        "unchanged": 1,
        "changed": 1,
        "added": 1,
        "algolia_operations": 2,
    }
    by_name = {record["entity_name"]: record for record in service.algolia_records(number).values()}
    assert by_name.keys() == {"refresh_token", "time", "Close", "Store", "get"}
    assert by_name["Close"]["file_path"] == "server/moved.go"
    assert "session.renew" in by_name["refresh_token"]["content"]
    assert {file["SK"]["S"] for file in service.items(f"O#default#R#{number}#1.0")} == {
        "FILE#src/auth/tokens.py",
        "FILE#server/moved.go",
        "FILE#web/store.ts",
        "FILE#notes.txt",
    }
    # A record that did not change keeps the commit that wrote it; a link shows the newest.
    [hit] = service.search("Store get", repository=number, entity_type="function", language="typescript")
    assert f"/blob/{commit}/web/store.ts#L3-L5" in hit["url"]


def test_a_push_that_changes_no_indexed_file_moves_the_commit_on(
    service: Service, repository: GitRepository
) -> None:
    service.index(repository, "octo/third")
    before = service.stack.algolia.operations.copy()
    repository.commit({"logo.png": b"\x89PNG\0\1"})

    report = service.index(repository, "octo/third")

    assert report["commit"] == repository.git("rev-parse", "HEAD")
    assert service.stack.algolia.operations == before


def test_a_repository_of_an_unknown_host_has_hits_without_links(
    service: Service, repository: GitRepository
) -> None:
    service.index(repository, "octo/unlinked")

    assert service.search("Store", repository="octo/unlinked")[0]["url"] is None


def test_a_parser_killed_in_the_middle_of_a_pack_leaves_no_trace(service: Service, tmp_path: Path) -> None:
    functions = "\n\n".join(f"def step_{number}(value):\n    return value + {number}" for number in range(40))
    repository = GitRepository(tmp_path / "large")
    repository.commit({f"pkg/part_{number}.py": functions for number in range(120)})
    parser = service.stack.functions["ParserFunction"]
    sent = service.stack.algolia.operations["addObject"]

    service.push(repository, "octo/large")
    eventually(lambda: service.stack.algolia.operations["addObject"], lambda now: now > sent)
    parser.kill()
    interrupted = service.report("octo/large")
    report = service.indexed("octo/large", repository.git("rev-parse", "HEAD"))

    assert interrupted is not None
    assert interrupted["commit"] is None
    assert report["counts"]["function"] == 120 * 40
    assert report["last_failure"] is None
    stored = [decode_item(item) for item in service.items(f"O#default#R#{report['id']}#E#")]
    assert len(stored) == 120 * 40
    marks = [decode_item(item)["writing"] for item in service.items(f"O#default#R#{report['id']}#1.0")]
    assert marks == [False] * 120
    assert service.get("/v1/search", {"q": "step_7", "repository": "octo/large"}).body["total_hits"] >= 120
