"""The `codesage` command, as a process of its own, against a running stack."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.algolia.faults import Fault
from local.cli.replies import SearchReply
from local.serve import LoopbackServer
from tests.repositories import GitRepository
from tests.service import Service, eventually

COMMAND = Path(sys.executable).with_name("codesage")
GREET = 'def greet(name):\n    """Say hello to a visitor."""\n    return f"hello {name}"\n'


@dataclass(frozen=True)
class Cli:
    """Calls of one person, whose environment names one data folder."""

    data: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        here = {"PATH": os.defpath, "HOME": str(self.data), "CODESAGE_DATA": str(self.data)}
        return here | dict(self.variables)

    def __call__(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [COMMAND, *arguments],
            env=self.environment | variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def on_terminal(self, *arguments: str, columns: int = 80) -> str:
        """What appears on a terminal of that width, with its control sequences."""
        terminal, process_side = pty.openpty()
        termios.tcsetwinsize(process_side, (24, columns))
        environment = self.environment | {"TERM": "xterm-256color"}
        seen = b""
        with subprocess.Popen(
            [COMMAND, *arguments], env=environment, stdin=subprocess.DEVNULL, stdout=process_side
        ):
            os.close(process_side)
            try:
                while chunk := os.read(terminal, 4096):
                    seen += chunk
            except OSError:  # so Linux says that nobody writes any more
                os.close(terminal)
        return seen.decode().replace("\r\n", "\n")


@pytest.fixture
def cli(service: Service, tmp_path: Path) -> Cli:
    """The tests' own stack is running on the data folder; its profile has no API key yet."""
    data = tmp_path / "data"
    data.mkdir()
    service.stack.profile.write(data)
    return Cli(data, {"CODESAGE_API_KEY": service.key})


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    repository = GitRepository(tmp_path / "hello")
    repository.commit({"src/greeting.py": GREET, "notes.xyz": "nothing to parse"})
    return repository


def index(cli: Cli, repository: GitRepository, name: str) -> None:
    done = cli("index", str(repository.folder), "--name", name, "--url", f"https://github.com/{name}")
    assert done.returncode == 0, done.stderr


# ---- index -----------------------------------------------------------------------------------------------


def test_index_waits_until_the_commit_is_searchable_and_says_what_is_in_it(
    cli: Cli, repository: GitRepository
) -> None:
    commit = repository.git("rev-parse", "HEAD")

    done = cli("index", str(repository.folder), "--name", "cli/index")

    assert done.returncode == 0, done.stderr
    assert f"cli/index at {commit[:12]} is searchable" in done.stdout
    assert "Records          1 function\n" in done.stdout
    assert "Without records  1 no_language\n" in done.stdout
    assert "search greet --repository cli/index" in done.stdout
    assert cli("search", "greet", "--repository", "cli/index").stdout.endswith("1 to 1 of 1\n")


def test_index_of_a_newer_commit_waits_for_that_one(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/newer")
    repository.commit({"src/greeting.py": GREET.replace("greet", "welcome")})

    index(cli, repository, "cli/newer")

    found = json.loads(cli("search", "", "--repository", "cli/newer", "--json").stdout)
    assert [hit["entity_name"] for hit in found["results"]] == ["welcome"]


def test_index_without_waiting_returns_at_once_and_indexing_goes_on(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    done = cli("index", str(repository.folder), "--name", "cli/no-wait", "--no-wait")

    assert done.returncode == 0, done.stderr
    assert "cli/no-wait is being indexed" in done.stdout
    service.indexed("cli/no-wait", repository.git("rev-parse", "HEAD"))


def test_index_names_a_plain_folder_after_itself(cli: Cli, service: Service, tmp_path: Path) -> None:
    folder = tmp_path / "plain folder"
    folder.mkdir()
    (folder / "greeting.py").write_text(GREET)

    done = cli("index", str(folder))

    assert done.returncode == 0, done.stderr
    assert "local/plain-folder at " in done.stdout


def test_index_says_that_uncommitted_changes_are_not_indexed(cli: Cli, repository: GitRepository) -> None:
    (repository.folder / "src/greeting.py").write_text("changed = True\n")

    done = cli("index", str(repository.folder), "--name", "cli/dirty")

    assert done.returncode == 0, done.stderr
    assert "cli/dirty: uncommitted changes are not indexed" in done.stderr


def test_index_does_not_replace_another_folder_that_happens_to_have_the_same_name(
    cli: Cli, tmp_path: Path
) -> None:
    for parent in ("a", "b"):
        (tmp_path / parent / "same").mkdir(parents=True)
        (tmp_path / parent / "same" / "greeting.py").write_text(GREET)
    assert cli("index", str(tmp_path / "a/same")).returncode == 0

    refused = cli("index", str(tmp_path / "b/same"))
    told = cli("index", str(tmp_path / "b/same"), "--name", "local/same")

    assert refused.returncode == 1
    assert f"local/same is already indexed from {tmp_path / 'a/same'}" in refused.stderr
    assert told.returncode == 0, told.stderr


def test_index_that_fails_says_why(cli: Cli, service: Service, repository: GitRepository) -> None:
    index(cli, repository, "cli/fails")
    repository.commit({"src/greeting.py": GREET.replace("greet", "welcome")})
    service.stack.githost.faults.answer("/git/ref/", 401, times=1000)

    try:
        failed = cli("index", str(repository.folder), "--name", "cli/fails")
    finally:
        service.stack.githost.faults.clear()

    assert failed.returncode == 1
    assert failed.stderr.startswith("error: cli/fails could not be indexed: ")


def test_index_that_is_interrupted_says_that_indexing_goes_on(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    service.stack.githost.faults.delay("/git/ref/", 3)
    arguments = [str(COMMAND), "index", str(repository.folder), "--name", "cli/ctrl-c"]
    pipe = subprocess.PIPE

    with subprocess.Popen(arguments, env=cli.environment, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        waiting = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)

    assert waiting == "cli/ctrl-c: waiting for its turn\n"
    assert process.returncode == 130
    assert told.strip().startswith("Indexing goes on; ")
    service.indexed("cli/ctrl-c", repository.git("rev-parse", "HEAD"))


@pytest.mark.parametrize("place", ["missing", "file.txt"])
def test_index_of_what_is_no_folder_is_refused(cli: Cli, tmp_path: Path, place: str) -> None:
    (tmp_path / "file.txt").touch()

    refused = cli("index", str(tmp_path / place))

    assert refused.returncode == 1
    assert refused.stderr == f"error: {tmp_path / place} is not a folder\n"


def test_index_of_a_folder_on_a_deployed_stack_says_that_it_cannot(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    refused = cli("index", str(repository.folder), CODESAGE_URL=service.stack.url)

    assert refused.returncode == 1
    assert "a deployed one indexes what its git host pushes" in refused.stderr


# ---- search ----------------------------------------------------------------------------------------------


def test_a_hit_shows_name_kind_place_signature_text_and_link(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/hit")
    commit = repository.git("rev-parse", "HEAD")

    done = cli("search", "greet", "--repository", "cli/hit")

    assert done.stderr == ""
    assert done.stdout == (
        " 1  greet  Python function — Say hello to a visitor.\n"
        "    cli/hit  src/greeting.py:1\n"
        "    def greet(name):\n"
        '        """Say hello to a visitor."""\n'
        '        return f"hello {name}"\n'
        f"    https://github.com/cli/hit/blob/{commit}/src/greeting.py#L1-L3\n"
        "\n"
        "1 to 1 of 1\n"
    )


def test_search_as_json_prints_the_reply_of_the_api_byte_for_byte(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/json")
    query = {"q": "greet", "repository": "cli/json", "language": "python", "limit": 5, "page": 0}

    printed = cli(
        "search", "greet", "--repository", "cli/json", "--language", "python", "--limit", "5", "--json"
    )

    assert json.loads(printed.stdout) == service.get("/v1/search", query).body
    assert not printed.stdout.endswith("\n")


def test_the_reply_as_json_is_highlighted_only_where_that_is_asked_for(
    cli: Cli, repository: GitRepository
) -> None:
    index(cli, repository, "cli/json-marks")
    question = ("search", "greet", "--repository", "cli/json-marks", "--json")

    [plain] = json.loads(cli(*question).stdout)["results"]
    [on_terminal] = json.loads(cli.on_terminal(*question))["results"]
    [highlighted] = json.loads(cli(*question, "--highlight").stdout)["results"]

    assert plain["highlights"] is None
    assert on_terminal == plain
    assert highlighted["highlights"]["entity_name"] == "<mark>greet</mark>"


def test_words_that_were_met_stand_out_on_a_terminal_and_nowhere_else(
    cli: Cli, repository: GitRepository
) -> None:
    repository.commit(
        {"src/greeting.py": 'class Hall:\n    def greet(self):\n        return "<mark> & visitor"\n'}
    )
    index(cli, repository, "cli/marks")
    question = ("search", "visitor", "--repository", "cli/marks", "--type", "function")

    seen, piped = cli.on_terminal(*question), cli(*question).stdout

    [line] = [line for line in seen.splitlines() if "return" in line]
    met = "\x1b[1;31;49mvisitor\x1b[0m"
    assert met in line
    assert plain(line) == '        return "<mark> & visitor"'
    assert plain(seen) == piped
    assert piped.startswith(" 1  Hall.greet  Python method\n")


def test_a_line_longer_than_the_terminal_is_shown_whole(cli: Cli, repository: GitRepository) -> None:
    long = f'    return "{"x" * 200}"\n'
    repository.commit({"src/greeting.py": f"def greet():\n{long}"})
    index(cli, repository, "cli/long")

    assert "x" * 200 in plain(cli.on_terminal("search", "greet", "--repository", "cli/long", columns=40))


def test_hits_are_counted_by_language_and_type_where_that_is_asked_for(
    cli: Cli, repository: GitRepository
) -> None:
    repository.commit({"web/greet.ts": "export class Greet {\n  greet() {}\n}\n"})
    index(cli, repository, "cli/facets")

    counted = cli("search", "greet", "--repository", "cli/facets", "--limit", "1", "--facets")
    nothing = cli("search", "lang:go", "--repository", "cli/facets", "--facets")

    end = "1 to 1 of 3; --page 1 goes on\nLanguages  2 typescript, 1 python\nTypes      2 function, 1 class\n"
    assert counted.stdout.endswith(end)
    assert nothing.stdout == "Nothing found.\nLanguages  none\nTypes      none\n"


def test_what_was_taken_otherwise_than_it_was_written_is_said_beside_the_answer(
    cli: Cli, repository: GitRepository
) -> None:
    index(cli, repository, "cli/hints")

    found = cli("search", "greet repo:cli/hints file:greeting.py")

    assert found.stdout.endswith("1 to 1 of 1\n")
    assert found.stderr.startswith("file: is no filter here and was left out; ")


def test_search_says_that_the_commit_that_was_waited_for_has_come(
    cli: Cli, repository: GitRepository
) -> None:
    index(cli, repository, "cli/at-least")
    head = repository.git("rev-parse", "HEAD")

    found = cli("search", "greet", "--repository", "cli/at-least", "--at-least", head)

    assert found.stdout.endswith("1 to 1 of 1\n")
    assert found.stderr == f"{head[:12]} has come: it, or a newer commit, is what was searched.\n"


def test_pages_go_on_where_the_last_one_ended(cli: Cli, repository: GitRepository) -> None:
    repository.commit({f"greet{n}.py": f"def greet{n}():\n    return {n}\n" for n in range(4)})
    index(cli, repository, "cli/pages")

    second = cli("search", "", "--repository", "cli/pages", "--limit", "2", "--page", "1")

    assert second.stdout.endswith("3 to 4 of 5; --page 2 goes on\n")


def test_filters_reach_the_api(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/filters")

    for option in (("--type", "class"), ("--path", "docs"), ("--language", "go")):
        nothing = cli("search", "greet", "--repository", "cli/filters", *option)

        assert (nothing.returncode, nothing.stdout) == (0, "Nothing found.\n")
        assert nothing.stderr.startswith("Try other words, fewer, or no filters; ")


def test_search_says_what_it_could_not_search(cli: Cli, service: Service, repository: GitRepository) -> None:
    index(cli, repository, "cli/ready")
    service.stack.githost.faults.answer("/git/ref/", 500, times=1000)
    try:
        cli("index", str(repository.folder), "--name", "cli/waits", "--no-wait")
        eventually(lambda: service.report("cli/waits"), lambda report: report is not None)

        done = cli("search", "greet", "--repository", "cli/ready", "--repository", "cli/waits")
    finally:
        service.stack.githost.faults.clear()

    assert done.returncode == 0, done.stderr
    assert "cli/waits was not searched: " in done.stderr
    assert "1 to 1 of 1" in done.stdout


def test_a_refused_question_is_one_line_on_standard_error(cli: Cli) -> None:
    refused = cli("search", "greet", "--limit", "51")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("error: limit: ")
    assert refused.stderr.count("\n") == 1


def test_an_option_that_does_not_exist_is_wrong_usage(cli: Cli) -> None:
    assert cli("search", "greet", "--colour").returncode == 2


def test_a_key_that_is_not_valid_is_named_as_the_trouble(cli: Cli) -> None:
    refused = cli("search", "greet", CODESAGE_API_KEY="cs_wrong")

    assert refused.returncode == 1
    assert "The API key is not valid." in refused.stderr


def test_a_refusal_that_passes_says_when_to_try_again(cli: Cli) -> None:
    def refuse(_: Request) -> Response:
        error = '{"error": {"type": "TooManyRequests", "message": "This key asks too often."}}'
        return Response(error, 429, {"Retry-After": "42"})

    with LoopbackServer(Starlette(routes=[Route("/v1/search", refuse)])) as server:
        refused = cli("search", "greet", CODESAGE_URL=server.url)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "error: This key asks too often. It may work in 42 s.\n"


def test_an_answer_of_something_else_than_codesage_is_told_as_such(cli: Cli) -> None:
    def welcome(_: Request) -> Response:
        return Response("<html>Welcome</html>")

    with LoopbackServer(Starlette(routes=[Route("/{path:path}", welcome)])) as server:
        for command in (("search", "greet"), ("status",), ("why", "a.py")):
            refused = cli(*command, CODESAGE_URL=server.url)

            assert (refused.returncode, refused.stdout) == (1, "")
            assert refused.stderr.startswith("error: the answer is none that this command can read; ")


def plain(seen: str) -> str:
    """What a terminal showed, without its colours."""
    return re.sub(r"\x1b\[[\d;]*m", "", seen)


# ---- which stack -----------------------------------------------------------------------------------------


def test_without_a_running_stack_every_command_says_how_to_start_one(tmp_path: Path) -> None:
    cli = Cli(tmp_path)

    for command in (("search", "x"), ("status",), ("index", "."), ("keys", "list"), ("fire", "watch")):
        refused = cli(*command)

        assert refused.returncode == 1
        assert refused.stderr.startswith(f"error: no stack runs on {tmp_path}; start it with `codesage up`")


def test_a_stack_that_was_killed_is_told_from_one_that_never_ran(cli: Cli, service: Service) -> None:
    gone = service.stack.profile.model_copy(update={"url": "http://127.0.0.1:1"})
    gone.write(cli.data)

    refused = cli("search", "greet")

    assert refused.returncode == 1
    assert refused.stderr == (
        "error: the stack at http://127.0.0.1:1 does not answer; start it with `codesage up`\n"
    )


def test_the_environment_names_a_deployed_stack_and_the_local_key_does_not_go_there(
    cli: Cli, service: Service
) -> None:
    known = service.stack.profile.model_copy(update={"api_key": service.key})
    known.write(cli.data)

    local = cli("status", CODESAGE_API_KEY="")
    deployed = cli("status", CODESAGE_API_KEY="", CODESAGE_URL=service.stack.url)

    assert local.returncode == 0, local.stderr
    assert deployed.returncode == 1
    assert "An API key is needed" in deployed.stderr


# ---- status ----------------------------------------------------------------------------------------------


def test_status_lists_what_is_indexed_and_shows_one_by_name(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/status")

    listed = cli("status")
    shown = cli("status", "https://github.com/CLI/Status")

    [line] = [line for line in listed.stdout.splitlines() if " cli/status " in line]
    assert line.split()[1:4] == ["cli/status", "completed", "fresh"]
    assert f"Commit           {repository.git('rev-parse', 'HEAD')}\n" in shown.stdout
    assert shown.stdout.startswith("cli/status  https://github.com/cli/status\nStatus           completed\n")
    assert "Records          1 function\nLanguages        1 python\n" in shown.stdout
    assert "Without records  1 no_language\n" in shown.stdout
    assert "Last run         files: 1 parsed, 1 skipped; records: 1 added\n" in shown.stdout
    assert "Excluded" not in shown.stdout


def test_status_shows_what_a_setting_leaves_out(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/excluded")
    report = service.report("cli/excluded")
    assert report is not None
    place = f"/v1/repositories/{report['id']}"

    service.request("PATCH", place, body=b'{"exclude": ["gen/", "*.min.js"]}')

    assert "Excluded         gen/  *.min.js\n" in cli("status", "cli/excluded").stdout


def test_a_first_run_under_way_is_told_by_every_command(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    service.stack.algolia.faults.add(Fault(path="/batch", times=1000, status=503))
    try:
        cli("index", str(repository.folder), "--name", "cli/first-run", "--no-wait")
        eventually(
            lambda: service.report("cli/first-run"), lambda report: bool(report and report["progress"])
        )

        shown, listed = cli("status", "cli/first-run"), cli("status")
        refused = [cli(*ask, "--repository", "cli/first-run") for ask in (("search", "x"), ("why", "x.py"))]
    finally:
        service.stack.algolia.faults.clear()

    head = repository.git("rev-parse", "HEAD")
    assert re.search(rf"Under way +{head[:12]}: started \d+ s ago; 0 of 1 packs done.*\n", shown.stdout)
    assert re.search(r" cli/first-run +processing 0/1 ", listed.stdout)
    for told in refused:
        assert re.search(
            r"^error: cli/first-run: processing: 0 of 1 packs done, started \d+ s ago. It may work in 10 s.$",
            told.stderr,
        )
    service.indexed("cli/first-run", head)


def test_a_failed_update_says_why_and_what_to_do_and_answers_say_that_they_are_older(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/stale")
    head = repository.git("rev-parse", "HEAD")
    repository.commit({"src/greeting.py": GREET.replace("greet", "welcome")})
    service.stack.githost.faults.answer("/git/ref/", 401, times=1000)
    try:
        service.push(repository, "cli/stale")
        eventually(lambda: service.report("cli/stale"), lambda row: bool(row and row["last_failure"]))

        shown = cli("status", "cli/stale")
        found = cli("search", "greet", "--repository", "cli/stale")
        told = cli("why", "src/greeting.py", "--repository", "cli/stale")
    finally:
        service.stack.githost.faults.clear()

    assert re.search(r"Freshness +stale\n", shown.stdout)
    assert re.search(r"Last failure +\d+ s ago.*: .+\n", shown.stdout)
    assert re.search(r"tried again by itself; `.*codesage redrive cli/stale` does so now", shown.stderr)
    for answer in (found, told):
        older = f"cli/stale: the last update failed, the results are of {head[:12]}; "
        assert answer.stderr.startswith(older)


def test_status_as_json_prints_the_reply_of_the_api(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/status-json")
    report = service.report("cli/status-json")

    printed = cli("status", "cli/status-json", "--json")

    assert json.loads(printed.stdout) == report


def test_status_of_an_unknown_repository_names_the_known_ones(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/known")

    refused = cli("status", "cli/unknown")

    assert refused.returncode == 1
    assert "cli/known" in refused.stderr


# ---- what an operator does -------------------------------------------------------------------------------


def test_a_key_that_was_made_opens_the_api_until_it_is_revoked(cli: Cli) -> None:
    made = cli("keys", "create", "--scope", "search", "--name", "for a test", "--json")
    key = json.loads(made.stdout)["key"]
    opened = cli("status", CODESAGE_API_KEY=key)
    [line] = [line for line in cli("keys", "list").stdout.splitlines() if "for a test" in line]

    revoked = cli("keys", "revoke", line.split()[0])

    assert opened.returncode == 0, opened.stderr
    assert "search" in line
    assert key not in line
    assert revoked.returncode == 0, revoked.stderr
    assert "for a test" not in cli("keys", "list").stdout


def test_a_key_for_a_person_goes_to_a_pipe_alone(cli: Cli) -> None:
    made = cli("keys", "create", "--scope", "search", "--scope", "index")

    assert made.stdout.startswith("cs_")
    assert made.stdout.count("\n") == 1
    assert "may index, search" in made.stderr


def test_a_key_can_be_for_some_repositories_and_for_a_time(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/for-a-key")
    options = ("--scope", "search", "--name", "a visitor", "--repository", "CLI/for-a-key", "--expires", "2d")

    made = cli("keys", "create", *options, "--json")

    status = cli("status", "--json", CODESAGE_API_KEY=json.loads(made.stdout)["key"])
    assert [row["name"] for row in json.loads(status.stdout)["repositories"]] == ["cli/for-a-key"]
    ends = datetime.now(UTC) + timedelta(days=2)
    line = listed_key(cli, "a visitor")
    assert "  cli/for-a-key  " in line
    assert f"{ends:%Y-%m-%d}" in line
    assert line.endswith("today")


def test_a_key_that_nobody_has_used_and_that_never_ends_is_listed_so(cli: Cli) -> None:
    cli("keys", "create", "--scope", "search", "--name", "lying about")

    assert re.search(r"  search\s+all\s+\d+ s ago\s+never\s+never$", listed_key(cli, "lying about"))


def test_a_key_for_a_repository_that_is_not_known_is_not_made(cli: Cli) -> None:
    before = cli("keys", "list").stdout

    refused = cli("keys", "create", "--scope", "search", "--repository", "cli/nowhere")

    assert refused.returncode == 1
    assert "'cli/nowhere' is not known; known repositories: " in refused.stderr
    assert cli("keys", "list").stdout.count("\n") == before.count("\n")


@pytest.mark.parametrize("end", ["0d", "30", "2001-01-01", "2030-02-30", "-1d", "soon"])
def test_an_end_that_is_past_or_no_time_is_wrong_usage(cli: Cli, end: str) -> None:
    refused = cli("keys", "create", "--scope", "search", f"--expires={end}")

    assert (refused.returncode, refused.stdout) == (2, "")


def listed_key(cli: Cli, name: str) -> str:
    [line] = [line for line in cli("keys", "list").stdout.splitlines() if f"  {name}  " in line]
    return line.rstrip()


def test_revoking_a_key_that_does_not_exist_says_so(cli: Cli) -> None:
    refused = cli("keys", "revoke", "nothing")

    assert (refused.returncode, refused.stderr) == (1, "error: No key has the id 'nothing'.\n")


def test_an_organisation_gets_a_webhook_and_a_key_that_sees_nothing_of_others(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/not-theirs")

    made = json.loads(cli("orgs", "create", "cli-acme", "--json").stdout)

    status = cli("status", "--json", CODESAGE_API_KEY=made["key"])
    assert json.loads(status.stdout) == {"repositories": []}
    assert list(made) == ["org", "webhook_url", "webhook_secret", "key", "kept_secrets"]
    assert made["webhook_url"] == f"{service.stack.url}/webhooks/cli-acme/github"
    assert len(made["webhook_secret"]) == 64
    assert (made["org"], made["kept_secrets"]) == ("cli-acme", [])


def test_an_organisation_made_for_a_person_shows_what_to_keep(cli: Cli, service: Service) -> None:
    made = cli("orgs", "create", "cli-shown")

    shown = dict(line.split("  ", 1) for line in made.stdout.splitlines())
    assert [name.strip() for name in shown] == ["Webhook URL", "Webhook secret", "API key"]
    assert f"{service.stack.url}/webhooks/cli-shown/github\n" in made.stdout
    assert "neither is shown again" in made.stderr
    assert "cli-shown/github/token" in made.stderr


def test_organisations_are_listed_a_line_each_and_not_made_twice(cli: Cli) -> None:
    cli("orgs", "create", "cli-once")

    again = cli("orgs", "create", "cli-once")

    listed = cli("orgs", "list").stdout.splitlines()
    assert {"cli-once", "default"} <= set(listed)
    assert listed == sorted(set(listed))
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.startswith("error: The organisation 'cli-once' exists already")


def test_keys_are_made_listed_and_revoked_in_their_own_organisation(cli: Cli) -> None:
    cli("orgs", "create", "cli-keys")
    cli("keys", "create", "--scope", "search", "--name", "theirs", "--org", "cli-keys")

    theirs, ours = cli("keys", "list", "--org", "cli-keys").stdout, cli("keys", "list").stdout
    [key_id] = [line.split()[0] for line in theirs.splitlines() if "  theirs  " in line]

    assert "theirs" not in ours
    assert cli("keys", "revoke", key_id).stderr == f"error: No key has the id '{key_id}'.\n"
    assert cli("keys", "revoke", key_id, "--org", "cli-keys").returncode == 0
    assert "theirs" not in cli("keys", "list", "--org", "cli-keys").stdout


def test_keys_of_an_organisation_that_is_not_known_name_those_that_are(cli: Cli) -> None:
    for command in (("create", "--scope", "search"), ("list",)):
        refused = cli("keys", *command, "--org", "nobody")

        assert refused.returncode == 1
        assert "'nobody' is not known; known organisations: " in refused.stderr


def test_the_watch_can_be_fired_and_an_unknown_schedule_cannot(cli: Cli) -> None:
    fired = cli("fire", "watch")
    refused = cli("fire", "siesta")

    assert fired.returncode == 0, fired.stderr
    assert fired.stdout.startswith("watch: ")
    assert refused.returncode == 1
    assert "'siesta'" in refused.stderr


# ---- doctor ----------------------------------------------------------------------------------------------


def test_the_doctor_finds_nothing_wrong_with_a_running_stack(cli: Cli) -> None:
    healthy = cli("doctor")

    assert healthy.returncode == 0, healthy.stdout
    assert "ok       the API key is valid" in healthy.stdout
    assert "problem" not in healthy.stdout


def test_the_doctor_says_what_is_wrong_and_what_to_do(cli: Cli, tmp_path: Path) -> None:
    no_stack = Cli(tmp_path / "empty")("doctor")
    bad_key = cli("doctor", CODESAGE_API_KEY="cs_wrong")
    no_git = cli("doctor", PATH=str(tmp_path))

    assert (no_stack.returncode, bad_key.returncode, no_git.returncode) == (1, 1, 1)
    assert "-> codesage up\n" in no_stack.stdout
    assert "problem  The API key is not valid." in bad_key.stdout
    assert "problem  git is not installed\n         -> install the package git\n" in no_git.stdout


def test_what_the_commands_read_of_a_reply_is_what_the_api_says(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/fields")
    body = service.get("/v1/search", {"q": "greet", "repository": "cli/fields"}).body

    read = SearchReply.model_validate(body).model_dump()

    assert read["results"][0].items() <= body["results"][0].items()


# ---- why, redrive, rebuild -------------------------------------------------------------------------------


def test_why_tells_an_indexed_file_from_one_that_was_left_out(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/why")

    indexed = cli("why", "src/greeting.py", "--repository", "cli/why")
    left_out = cli("why", "notes.xyz", "--repository", "cli/why")
    missing = cli("why", "gone.py", "--repository", "cli/why", "--json")

    commit = repository.git("rev-parse", "HEAD")
    assert indexed.stdout == (
        f"src/greeting.py  cli/why at {commit[:12]}\n"
        "Indexed   yes\n"
        "Language  python\n"
        f"Bytes     {len(GREET)}\n"
        "Lines     3\n"
        "Records   1 function\n"
        f"Link      https://github.com/cli/why/blob/{commit}/src/greeting.py\n"
        "\n"
        "1  function  greet  def greet(name):\n"
    )
    assert "no (no_language): its language is not parsed" in left_out.stdout
    assert json.loads(missing.stdout)["reason"] == "not_in_commit"


def test_why_takes_every_path_that_git_takes(cli: Cli, repository: GitRepository) -> None:
    paths = ["a folder/a file.py", "a#b?c=d&e.py", "100%25.py", "[ab]/*.py", "-v.py", "käse.py", "a\nb.py"]
    paths.append(os.fsdecode(b"caf\xe9.py"))
    repository.commit(dict.fromkeys(paths, GREET))
    index(cli, repository, "cli/paths")

    for path in paths:
        told = cli("why", "--repository", "cli/paths", "--", path)

        assert told.returncode == 0, told.stderr
        assert "Indexed   yes\n" in told.stdout


def test_why_takes_a_path_as_a_shell_completes_it(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/completed")

    assert "Indexed   yes\n" in cli("why", "./src//greeting.py", "--repository", "cli/completed").stdout


def test_an_outline_is_cut_to_the_terminal_and_whole_in_a_pipe(cli: Cli, repository: GitRepository) -> None:
    signature = f"def greet({', '.join(f'name{n}' for n in range(20))}):"
    repository.commit({"src/greeting.py": f"class Hall:\n    {signature}\n        pass\n"})
    index(cli, repository, "cli/outline")
    question = ("why", "src/greeting.py", "--repository", "cli/outline")

    [_, seen] = plain(cli.on_terminal(*question, columns=50)).splitlines()[-2:]
    [_, piped] = cli(*question).stdout.splitlines()[-2:]

    assert piped == f"2  method  Hall.greet  {signature}"
    assert seen == piped[:49] + "…"


def test_why_without_a_repository_asks_for_one_of_several(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/one")
    index(cli, repository, "cli/two")

    refused = cli("why", "src/greeting.py")

    assert refused.returncode == 1
    assert refused.stderr.startswith("error: say which repository: --repository R; known repositories: cli/")


def test_redrive_makes_good_what_a_lost_webhook_left_behind(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/redrive")
    commit = repository.commit({"src/greeting.py": GREET.replace("greet", "welcome")})

    done = cli("redrive", "cli/redrive")

    assert done.returncode == 0, done.stderr
    service.indexed("cli/redrive", commit)


def test_rebuild_from_store_fills_an_index_that_was_lost(
    cli: Cli, service: Service, repository: GitRepository
) -> None:
    index(cli, repository, "cli/refill")
    report = service.report("cli/refill")
    assert report is not None
    records = service.algolia_records(report["id"])
    service.algolia_batch([{"action": "deleteObject", "body": {"objectID": name}} for name in records])

    done = cli("rebuild", "cli/refill", "--from-store")

    assert done.stdout == "1 records of cli/refill were sent to the search index.\n", done.stderr
    eventually(lambda: service.algolia_records(report["id"]), lambda now: now == records)


def test_rebuild_begins_a_new_run(cli: Cli, service: Service, repository: GitRepository) -> None:
    index(cli, repository, "cli/rebuild")
    report = service.report("cli/rebuild")
    assert report is not None

    done = cli("rebuild", "cli/rebuild")

    assert done.returncode == 0, done.stderr
    eventually(lambda: service.items(f"O#default#R#{report['id']}#2.0"), lambda files: len(files) == 2)


def test_redrive_of_an_unknown_repository_names_the_known_ones(cli: Cli, repository: GitRepository) -> None:
    index(cli, repository, "cli/known")

    refused = cli("redrive", "nobody/nothing")

    assert refused.returncode == 1
    assert "cli/known" in refused.stderr
