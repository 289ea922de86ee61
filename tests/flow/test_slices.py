"""A pack that takes longer than a parser has goes on in slices; nothing of it is lost or counted twice."""

import re
from pathlib import Path
from typing import Any

from codesage.clients.attributes import decode_item
from local.stack import Stack
from tests.repositories import GitRepository
from tests.service import eventually

ROOT = Path(__file__).parents[2]
FILES, FUNCTIONS = 300, 30


def hurried(folder: Path) -> Path:
    """The template, but a parser has one second before it begins no further batch."""
    text = (ROOT / "template.yaml").read_text().replace("Uri: ", f"Uri: {ROOT}/")
    path = folder / "template.yaml"
    path.write_text(re.sub(r"(CodeUri: \S*functions/parser\n.*\n +Timeout:) 120", r"\1 31", text))
    assert path.read_text() != text
    return path


def test_a_large_pack_is_finished_in_slices_and_its_counters_are_of_all_of_them(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "large")
    text = "\n\n".join(
        f"def step_{number}(value):\n    return value + {number}" for number in range(FUNCTIONS)
    )
    repository.commit({f"pkg/part_{number}.py": text for number in range(FILES)})

    with Stack(tmp_path / "data", port=0, time_factor=60, template=hurried(tmp_path)) as stack:
        table = stack.outputs["TableName"]

        def item(pk: str, sk: str) -> dict[str, Any]:
            found = stack.client("dynamodb").get_item(TableName=table, Key={"PK": {"S": pk}, "SK": {"S": sk}})
            return decode_item(found.get("Item", {}))

        stack.githost.push(stack.githost.add("octo/large", repository.folder))
        row = eventually(
            lambda: item("O#default", "REPO#1"), lambda row: row.get("commit") and not row["run"]
        )
        run = item("O#default#R#1", "RUN#1")

    log = (tmp_path / "data" / "logs" / "ParserFunction.log").read_text()
    assert "goes on in slice 1" in log
    assert row["counts"]["function"] == FILES * FUNCTIONS
    assert (run["counts"]["added"], run["counts"]["files"]) == (FILES * FUNCTIONS, FILES)
    assert run["counts"]["algolia_operations"] == FILES * FUNCTIONS


def test_a_task_that_is_not_published_in_time_ends_neither_its_function_nor_the_run_of_a_save(
    tmp_path: Path,
) -> None:
    """Thirty seconds before the function's own timeout, here at once, a save goes on and a delete fails."""
    repository = GitRepository(tmp_path / "late")
    repository.commit({"one.py": "def one():\n    return 1\n", "two.py": "def two():\n    return 2\n"})
    log = tmp_path / "data" / "logs" / "ParserFunction.log"

    with Stack(tmp_path / "data", port=0, time_factor=60, template=hurried(tmp_path), task_delay=5) as stack:
        table = stack.outputs["TableName"]

        def item(pk: str, sk: str) -> dict[str, Any]:
            found = stack.client("dynamodb").get_item(TableName=table, Key={"PK": {"S": pk}, "SK": {"S": sk}})
            return decode_item(found.get("Item", {}))

        stack.githost.push(stack.githost.add("octo/late", repository.folder))
        saved = eventually(
            lambda: item("O#default", "REPO#1"), lambda row: bool(row.get("commit") and not row["run"])
        )
        told = log.read_text()
        repository.commit({"two.py": None})
        stack.githost.push(stack.githost.add("octo/late", repository.folder))
        failed = eventually(lambda: item("O#default#R#1", "RUN#2"), lambda run: bool(run.get("failure")))

    assert saved["counts"]["function"] == 2
    assert "a save of run 1 was not published in time; the run goes on" in told
    assert '"record_bytes"' in told
    assert failed["failure"] == "A delete was not published in time; it is tried again."
    assert "Task timed out" not in log.read_text()
