"""Files that are parsed in another process, and what becomes of the one that ends it."""

import gc
import os
import signal
import threading
import warnings
from pathlib import Path

import pytest

from codesage.languages import language_of
from codesage.parsing import parsed
from codesage.parsing.child import ParserChild
from codesage.parsing.outcome import Parsed, Skipped
from codesage.skips import Skip

PYTHON = language_of("a.py")
TSX = language_of("a.tsx")

# Seconds of work: first for ast, which cannot be interrupted, then for tree-sitter.
LENGTHY = b"x = (1" + b"+\n1" * 3_000_000 + b")\n"


@pytest.fixture
def child():
    with ParserChild() as child:
        yield child


def names(outcome: Parsed | Skipped) -> list[str]:
    assert isinstance(outcome, Parsed)
    return [entity.name for entity in outcome.entities]


def test_an_outcome_is_that_of_parsing_in_this_process(child):
    source = Path(__file__).read_bytes()

    outcome = child.parse(source, PYTHON, "a.py")

    assert outcome == parsed(source, PYTHON, "a.py")


def test_the_grammar_of_a_dialect_is_the_one_that_was_asked_for(child):
    outcome = child.parse(b"const A = () => <b>{x}</b>;", TSX, "a.tsx")

    assert names(outcome) == ["A"]


def test_one_child_parses_file_after_file(child):
    child.parse(b"", PYTHON, "a.py")
    first = child.pid

    child.parse(b"", PYTHON, "b.py")

    assert child.pid == first


def test_no_child_is_started_before_the_first_file():
    child = ParserChild()

    assert child.pid is None


def test_a_file_beyond_the_time_limit_is_skipped_and_the_next_one_is_parsed():
    with ParserChild(seconds=0.3) as child:
        outcome = child.parse(LENGTHY, PYTHON, "a.py")
        ended = child.pid is None
        following = child.parse(b"def f(): pass", PYTHON, "b.py")

    assert outcome == Skipped(Skip.PARSER_TIMEOUT)
    assert ended
    assert names(following) == ["f"]


def test_a_file_beyond_the_memory_limit_is_skipped_and_the_next_one_is_parsed():
    with ParserChild(memory=160 << 20) as child:
        outcome = child.parse(b"x = [\n" + b"[1],\n" * 2_000_000 + b"]\n", PYTHON, "a.py")
        following = child.parse(b"def f(): pass", PYTHON, "b.py")

    assert outcome == Skipped(Skip.PARSER_CRASH)
    assert names(following) == ["f"]


def test_a_child_killed_between_two_files_costs_the_second(child):
    child.parse(b"", PYTHON, "a.py")
    os.kill(child.pid, signal.SIGKILL)

    outcome = child.parse(b"def f(): pass", PYTHON, "b.py")
    following = child.parse(b"def g(): pass", PYTHON, "c.py")

    assert outcome == Skipped(Skip.PARSER_CRASH)
    assert names(following) == ["g"]


def test_a_child_killed_in_the_middle_of_a_file_costs_that_file(child):
    child.parse(b"", PYTHON, "a.py")
    killer = threading.Timer(0.2, os.kill, (child.pid, signal.SIGSEGV))
    killer.start()

    outcome = child.parse(LENGTHY, PYTHON, "b.py")
    following = child.parse(b"def g(): pass", PYTHON, "c.py")

    killer.join()
    assert outcome == Skipped(Skip.PARSER_CRASH)
    assert names(following) == ["g"]


def test_a_closed_child_leaves_no_process_and_no_open_pipe():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        child = ParserChild()
        child.parse(b"", PYTHON, "a.py")
        pid = child.pid

        child.close()
        gc.collect()

    assert child.pid is None
    assert caught == []
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_closed_child_may_be_closed_again_and_starts_anew_for_another_file(child):
    child.parse(b"", PYTHON, "a.py")
    child.close()
    child.close()

    outcome = child.parse(b"def f(): pass", PYTHON, "b.py")

    assert names(outcome) == ["f"]


def test_the_child_sees_no_credentials(child, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    child.parse(b"", PYTHON, "a.py")

    environment = Path(f"/proc/{child.pid}/environ").read_bytes()
    assert b"PYTHONPATH=" in environment
    assert b"AWS_SECRET_ACCESS_KEY" not in environment
