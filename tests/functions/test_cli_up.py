"""`codesage up`: a stack in the foreground that keeps its API key, and says when it could not."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.cli.api import Api
from local.cli.deployment import Deployment
from local.profile import Profile
from local.stack import free_port

COMMAND = Path(sys.executable).with_name("codesage")
READY = "Ctrl-C stops it"


@contextmanager
def up(data: Path, stop: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Run it until the block ends. Yields what it printed until it was ready."""
    arguments = [COMMAND, "up", "--port", str(free_port(0)), "--data", str(data)]
    process = subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={"PATH": os.defpath}
    )
    assert process.stdout is not None
    printed = ""
    try:
        while READY not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        yield printed
    finally:
        process.send_signal(stop)
        printed += process.stdout.read()
        process.stdout.close()
        assert process.wait(timeout=60) == 0, printed


def fact(printed: str, name: str) -> str:
    found = re.search(rf"^{name} +(\S+)$", printed, re.MULTILINE)
    assert found, printed
    return found[1]


def test_up_prints_a_key_that_opens_the_api_and_keeps_it_over_a_restart(tmp_path: Path) -> None:
    with up(tmp_path, stop=signal.SIGINT) as first:
        profile = Profile.read(tmp_path)
        Api(Deployment(fact(first, "URL"), fact(first, "API key"), None)).get("/v1/repositories")
    stopped = not (tmp_path / "profile.json").exists()

    with up(tmp_path) as second:
        Api(Deployment(fact(second, "URL"), fact(second, "API key"), None)).get("/v1/repositories")

    assert profile.api_key == fact(first, "API key") == fact(second, "API key")
    assert stopped
    assert f"export CODESAGE_DATA={tmp_path}" in first


def test_what_was_indexed_is_found_after_a_restart_with_the_numbers_it_had(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "greeting.py").write_text("def greet(name):\n    return name\n")
    data = tmp_path / "data"

    def ask(*arguments: str) -> str:
        environment = {"PATH": os.defpath, "CODESAGE_DATA": str(data)}
        done = subprocess.run(
            [COMMAND, *arguments], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    with up(data):
        ask("index", str(folder), "--name", "octo/greetings")
        found, known = ask("search", "greet", "--json"), ask("status", "--json")
    with up(data):
        found_again, known_again = ask("search", "greet", "--json"), ask("status", "--json")

    assert '"entity_name": "greet"' in found
    assert (found_again, known_again) == (found, known)


def test_after_an_unclean_stop_up_says_so_and_makes_a_new_key(tmp_path: Path) -> None:
    with up(tmp_path) as first:
        pass
    (tmp_path / "aws" / "clean").unlink()  # what only a stop that wrote all state leaves

    with up(tmp_path) as second:
        Api(Deployment(fact(second, "URL"), fact(second, "API key"), None)).get("/v1/repositories")

    assert "ended without writing its state" not in first
    assert "ended without writing its state" in second
    assert fact(first, "API key") != fact(second, "API key")


def test_a_key_that_was_revoked_is_replaced_at_the_next_start(tmp_path: Path) -> None:
    here = {"PATH": os.defpath, "CODESAGE_DATA": str(tmp_path)}
    with up(tmp_path) as first:
        listed = subprocess.run(
            [COMMAND, "keys", "list"], env=here, capture_output=True, text=True, check=True
        )
        [key_id] = re.findall(r"^(\w+) +this machine ", listed.stdout, re.MULTILINE)
        subprocess.run([COMMAND, "keys", "revoke", key_id], env=here, capture_output=True, check=True)

    with up(tmp_path) as second:
        Api(Deployment(fact(second, "URL"), fact(second, "API key"), None)).get("/v1/repositories")

    assert fact(first, "API key") != fact(second, "API key")


def test_a_second_stack_on_the_same_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    with up(tmp_path):
        refused = subprocess.run(
            [COMMAND, "up", "--data", str(tmp_path)],
            capture_output=True, text=True, env={"PATH": os.defpath}, check=False, timeout=60,
        )  # fmt: skip

    assert refused.returncode == 1
    assert refused.stderr.startswith(f"error: {tmp_path} is in use by another stack")
    assert refused.stderr.count("\n") == 1
