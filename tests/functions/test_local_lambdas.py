"""local.lambdas: real handlers in processes with a function's limits."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import boto3
import pytest
from botocore.exceptions import ClientError

from local.invocations import invoke_api
from local.lambdas import FunctionStoppedError
from local.serve import LoopbackServer
from tests.functions.local_functions import running, until

COUNTING = "count = 0\ndef run(event, context):\n    global count\n    count += 1\n    return count\n"

WHAT_THE_EVENT_SAYS = """
import os, subprocess, sys, time

def run(event, context):
    match event["do"]:
        case "raise": raise ValueError("no such thing")
        case "exit": os._exit(7)
        case "wait": time.sleep(60)
        case "allocate": return len(bytearray(3 << 30))
        case "fill": return "x" * 6_500_000
        case "pid": return os.getpid()
        case "hold":
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
            print(child.pid)
            time.sleep(60)
"""


@pytest.fixture
def obedient(tmp_path):
    """A function that does what its event says, with a timeout of one second."""
    with running(tmp_path, WHAT_THE_EVENT_SAYS, timeout=1) as function:
        yield function


def test_a_process_is_kept_for_the_next_event(tmp_path):
    with running(tmp_path, COUNTING) as function:
        counts = [function.invoke({}).payload for _ in range(3)]

    assert counts == [1, 2, 3]


def test_a_handler_sees_its_name_its_limits_and_its_arn(tmp_path):
    source = (
        "def run(event, context):\n"
        "    return [context.function_name, context.memory_limit_in_mb, context.invoked_function_arn,\n"
        "            0 < context.get_remaining_time_in_millis() <= 9000, event]\n"
    )

    with running(tmp_path, source, timeout=9, memory=300) as function:
        result = function.invoke({"a": "é"})

    arn = "arn:aws:lambda:us-east-1:000000000000:function:F"
    assert result.payload == ["F", "300", arn, True, {"a": "é"}]


def test_a_handler_sees_the_templates_variables_and_none_of_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "mine")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "secret")
    source = "import os\ndef run(event, context):\n    return dict(os.environ)\n"

    with running(tmp_path, source, environment={"TABLE_NAME": "t"}) as function:
        seen = function.invoke({}).payload

    assert seen["TABLE_NAME"] == "t"
    assert seen["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"
    assert seen["AWS_CONFIG_FILE"] == os.devnull
    assert {"AWS_PROFILE", "AWS_SESSION_TOKEN", "HOME"}.isdisjoint(seen)


def test_an_exception_is_reported_and_the_process_lives_on(obedient):
    before = obedient.invoke({"do": "pid"}).payload

    result = obedient.invoke({"do": "raise"})

    assert (result.failed, result.error_type, result.error_message) == (True, "ValueError", "no such thing")
    assert obedient.invoke({"do": "pid"}).payload == before


def test_a_handler_that_takes_too_long_is_ended_and_the_next_event_starts_anew(obedient):
    before = obedient.invoke({"do": "pid"}).payload

    result = obedient.invoke({"do": "wait"})

    assert (result.error_type, result.error_message) == (
        "Sandbox.Timedout",
        "Task timed out after 1.00 seconds",
    )
    assert obedient.invoke({"do": "pid"}).payload != before


def test_what_an_ended_handler_started_ends_with_it(obedient):
    child = int(obedient.invoke({"do": "hold"}).log_tail)

    until(lambda: not _is_alive(child))


def _is_alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_a_crash_is_reported_and_the_next_event_starts_anew(obedient):
    before = obedient.invoke({"do": "pid"}).payload

    result = obedient.invoke({"do": "exit"})

    assert result.error_type == "Runtime.ExitError"
    assert result.error_message == "Runtime exited with error: exit status 7"
    assert obedient.invoke({"do": "pid"}).payload != before


def test_memory_beyond_the_limit_is_refused(obedient):
    assert obedient.invoke({"do": "allocate"}).error_type == "MemoryError"


def test_a_reply_over_six_megabytes_is_refused(obedient):
    result = obedient.invoke({"do": "fill"})

    assert result.error_type == "Function.ResponseSizeTooLarge"


def test_a_killed_handler_is_a_crash(tmp_path):
    with running(tmp_path, WHAT_THE_EVENT_SAYS) as function, ThreadPoolExecutor() as threads:
        under_way = threads.submit(function.invoke, {"do": "wait"})
        until(lambda: function.is_busy)

        function.kill()

        assert under_way.result().error_message == "Runtime exited with error: signal: Killed"
        assert function.invoke({"do": "pid"}).failed is False


def test_a_module_that_cannot_be_loaded_fails_every_event_with_its_error(tmp_path):
    with running(tmp_path, "import nothing_of_that_name\n") as function:
        results = [function.invoke({}) for _ in range(2)]

    assert [result.error_type for result in results] == ["Runtime.ImportModuleError"] * 2
    assert "nothing_of_that_name" in str(results[0].error_message)


def test_events_beyond_the_concurrency_wait_for_a_process(tmp_path):
    source = "import os, time\ndef run(event, context):\n    time.sleep(0.2)\n    return os.getpid()\n"

    with running(tmp_path, source, concurrency=2) as function, ThreadPoolExecutor(6) as threads:
        processes = {result.payload for result in threads.map(function.invoke, [{}] * 6)}

    assert len(processes) == 2


def test_printed_lines_are_whole_in_the_log_and_the_tail_is_the_invocations_own(tmp_path):
    source = "def run(event, context):\n    for number in range(200): print(event['who'], number, 'x' * 50)\n"
    with running(tmp_path, source, concurrency=2) as function, ThreadPoolExecutor(2) as threads:
        results = list(threads.map(function.invoke, [{"who": "a"}, {"who": "b"}]))

    lines = (tmp_path / "logs/F.log").read_text().splitlines()
    expected = {f"{who} {number} {'x' * 50}" for who in "ab" for number in range(200)}
    assert len(lines) == 400
    assert set(lines) == expected
    assert [result.log_tail.split()[-3:-1] for result in results] == [["a", "199"], ["b", "199"]]
    assert all(len(result.log_tail) == 4096 for result in results)


def test_a_stopped_function_cuts_off_what_is_under_way_and_takes_nothing_more(tmp_path):
    with running(tmp_path, WHAT_THE_EVENT_SAYS) as function, ThreadPoolExecutor() as threads:
        under_way = threads.submit(function.invoke, {"do": "wait"})
        until(lambda: function.is_busy)

        function.stop()

        with pytest.raises(FunctionStoppedError):
            under_way.result()
        with pytest.raises(FunctionStoppedError):
            function.invoke({})


def test_no_thread_is_left_when_a_function_has_stopped(tmp_path):
    before = threading.active_count()
    with running(tmp_path, COUNTING) as function:
        function.invoke({})

    until(lambda: threading.active_count() <= before)


# ---- Lambda's own API --------------------------------------------------------------------------------------


@pytest.fixture
def lambda_client(tmp_path):
    with (
        running(tmp_path, WHAT_THE_EVENT_SAYS) as function,
        LoopbackServer(invoke_api({"F": function})) as server,
    ):
        client = boto3.client(
            "lambda",
            endpoint_url=server.url,
            region_name="us-east-1",
            aws_access_key_id="a",
            aws_secret_access_key="b",
        )
        yield client
        client.close()


def test_boto3_invokes_a_function(lambda_client):
    reply = lambda_client.invoke(FunctionName="F", Payload=b'{"do": "pid"}')

    assert reply["StatusCode"] == 200
    assert int(reply["Payload"].read()) > 0
    assert "FunctionError" not in reply


def test_boto3_is_told_of_a_functions_error(lambda_client):
    reply = lambda_client.invoke(FunctionName="F", Payload=b'{"do": "raise"}', LogType="Tail")

    assert reply["FunctionError"] == "Unhandled"
    assert b"no such thing" in reply["Payload"].read()
    assert reply["LogResult"]


def test_boto3_is_told_that_a_function_does_not_exist(lambda_client):
    with pytest.raises(ClientError, match="ResourceNotFoundException"):
        lambda_client.invoke(FunctionName="Nothing")


def test_an_event_that_nobody_waits_for_is_accepted(lambda_client):
    reply = lambda_client.invoke(FunctionName="F", InvocationType="Event", Payload=b'{"do": "pid"}')

    assert reply["StatusCode"] == 202
