"""The parser where Lambda runs it: without shared memory, and with little that may be written."""

import os
import subprocess
import sys
from pathlib import Path

# Read by every interpreter that has its folder on the path: that of the function, and that of the child.
NO_SHARED_MEMORY = """
import sys

def refuse(event, arguments):
    if event == "open" and str(arguments[0]).startswith("/dev/shm"):
        raise OSError(38, "Function not implemented")

class Refused:
    SEM_VALUE_MAX = 1

    def __init__(self, *arguments, **named):
        raise OSError(38, "Function not implemented")

import _multiprocessing, _posixshmem
_multiprocessing.SemLock = Refused
_posixshmem.shm_open = Refused
sys.addaudithook(refuse)
"""

PARSE = """
import functions.parser.app
from codesage.languages import language_of
from codesage.parsing.child import ParserChild

with ParserChild() as child:
    outcomes = [child.parse(b"def f(): pass", language_of("a.py"), "a.py") for _ in range(2)]
    print([entity.name for outcome in outcomes for entity in outcome.entities])
"""


def run(code: str, path: Path) -> "subprocess.CompletedProcess[str]":
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(path), *filter(None, sys.path)]),
        "AWS_DEFAULT_REGION": "eu-west-1",
    }
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


def test_the_parser_works_without_semaphores_and_shared_memory(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(NO_SHARED_MEMORY)

    parsed = run(PARSE, tmp_path)

    assert (parsed.stdout, parsed.stderr) == ("['f', 'f']\n", "")


def test_a_process_pool_would_not_work_there(tmp_path: Path) -> None:
    """Otherwise the other test shows nothing."""
    (tmp_path / "sitecustomize.py").write_text(NO_SHARED_MEMORY)

    pooled = run("import multiprocessing; multiprocessing.Pool(1)", tmp_path)

    assert "Function not implemented" in pooled.stderr
