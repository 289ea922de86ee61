"""template.yaml and a data folder -> the whole service on loopback, whose state outlives a restart.

Nothing here names a queue, a table or a function: what there is comes from the template.
"""

import fcntl
import logging
import os
import secrets
import shutil
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from codesage.errors import CodeSageError
from local import ministack, resources
from local.algolia import AlgoliaServer
from local.clients import Clients
from local.gateway import Gateway
from local.githost import GitHost
from local.invocations import invoke_api
from local.lambdas import Function, InvokeResult
from local.memory import Memory
from local.ministack import MiniStack
from local.pollers import Poller
from local.profile import FILE_NAME, Profile
from local.schedules import Schedules
from local.serve import LOOPBACK, LoopbackServer
from local.template import Surroundings, Template, read_template

TEMPLATE: Final = Path(__file__).parents[1] / "template.yaml"
WEBHOOK_PATH: Final = "/webhooks/default/github"

# Functions that answer people; those that a queue feeds have at most a process per core.
_ANSWERING_PROCESSES = 4
# What stack.json holds from the discovery of lost state until every source is pushed again.
_REBUILD = "rebuild"
# After a kill, ministack still writes its state before it lets go of the lock.
_LOCK_SECONDS = 60

_log = logging.getLogger(__name__)


class StackError(Exception):
    """The stack cannot start; the message is for the person who started it."""


class Stack:
    """One running service.

    Args:
        data: holds all state; made if missing. One stack at a time may use it.
        port: of the API on loopback; 0 takes the one of the last run, or a free one.
        time_factor: divides visibility timeouts, schedules and pauses. Tests need not wait for hours.
        environment: the template's parameter of that name.
        task_delay: seconds until an Algolia task is published.
        template: another template than the service's own.

    Attributes:
        client: called with a service's name, gives its boto3 client; "lambda" is one of them.
        recovered: the last run ended without writing its state. This one began empty, with every source of
            the git host pushed again; API keys and uploaded trees are gone.
    """

    client: Clients
    aws: MiniStack
    functions: Mapping[str, Function]
    algolia: AlgoliaServer
    githost: GitHost
    outputs: Mapping[str, str]
    recovered: bool

    def __init__(
        self,
        data: Path,
        *,
        port: int = 8080,
        time_factor: float = 1.0,
        environment: str = "local",
        task_delay: float = 0.0,
        template: Path = TEMPLATE,
    ) -> None:
        self.data = data.absolute()
        self._port = port
        self._time_factor = time_factor
        self._environment = environment
        self._task_delay = task_delay
        self._template = template
        self._running = ExitStack()

    # ---- starting and stopping ---------------------------------------------------------------------------

    def start(self) -> Self:
        """Start everything and return when the API answers.

        Raises:
            StackError: the data folder or the port is in use.
            TemplateError: the template asks for what this stack does not have.
            StandInError: the AWS stand-in did not start.
        """
        self.data.mkdir(parents=True, exist_ok=True)
        with ExitStack() as running:
            lock = _locked(self.data / "lock", running)
            self.memory = Memory(self.data / "stack.json")
            shutil.rmtree(self.data / "tmp", ignore_errors=True)
            self._start_stand_ins(running, lock)
            template = self._resolved_template()
            self._create_resources(template)
            self._start_functions(running, template)
            self._start_front(running, template)
            self._running = running.pop_all()
        if self.recovered:
            self._push_again()
        return self

    def stop(self) -> None:
        """Stop everything. What a function is doing is cut off; its message is visible again at once."""
        self._running.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start_stand_ins(self, running: ExitStack, lock: int) -> None:
        state = self.data / "aws"
        had_state = state.exists()
        self.aws = MiniStack(state, self._remembered_port("aws"), keep_open=(lock,))
        kept = self.aws.start()
        running.callback(self.aws.stop)
        self._lambda_port = self._remembered_port("lambda")
        self.client = Clients(
            {
                "sqs": self.aws.url,
                "s3": self.aws.url,
                "dynamodb": self.aws.url,
                "secretsmanager": self.aws.url,
                "lambda": f"http://{LOOPBACK}:{self._lambda_port}",
            }
        )
        self.recovered = self.memory.get(_REBUILD) is not None or (had_state and not kept)
        if self.recovered:
            self.memory.remember(_REBUILD, "due")  # also for a later start, should this one not get that far
            self.memory.forget("api_key")
            # Repositories get their numbers anew, so records of old numbers would be found forever.
            shutil.rmtree(self.data / "algolia", ignore_errors=True)
        self.algolia = AlgoliaServer(
            self.data / "algolia",
            port=self._remembered_port("algolia"),
            app_id=self._secret("algolia-app-id", 5).upper(),
            admin_key=self._secret("algolia-admin-key"),
            search_key=self._secret("algolia-search-key"),
            task_delay=self._task_delay,
        )
        self.algolia.start()
        running.callback(self.algolia.stop)
        self.githost = GitHost(
            self.data / "githost",
            port=self._remembered_port("githost"),
            webhook_url=None,
            webhook_secret=self._secret("webhook-secret"),
            token=self._secret("githost-token"),
            admin_token=self._secret("githost-admin-token"),
        )
        self.githost.start()
        running.callback(self.githost.stop)

    def _resolved_template(self) -> Template:
        template = read_template(
            self._template,
            Surroundings(
                region=ministack.REGION,
                account=ministack.ACCOUNT,
                queue_url=self.aws.url,
                parameters={
                    "Environment": self._environment,
                    "AlgoliaEndpoint": self.algolia.url,
                    "GitHubApiUrl": self.githost.url,
                },
                time_factor=self._time_factor,
            ),
        )
        self.outputs = template.outputs
        return template

    def _create_resources(self, template: Template) -> None:
        resources.create_queues(self.client("sqs"), template)
        resources.create_tables(self.client("dynamodb"), template)
        resources.create_buckets(self.client("s3"), template)
        resources.create_secrets(
            self.client("secretsmanager"),
            template,
            {
                "ALGOLIA_APP_ID": self._secret("algolia-app-id", 5).upper(),
                "ALGOLIA_ADMIN_API_KEY": self._secret("algolia-admin-key"),
                "ALGOLIA_SEARCH_API_KEY": self._secret("algolia-search-key"),
                "WEBHOOK_SECRET": self._secret("webhook-secret"),
                "TOKEN": self._secret("githost-token"),
            },
        )

    def _start_functions(self, running: ExitStack, template: Template) -> None:
        fed = {source.function: source.concurrency for source in template.event_sources}
        cores = os.cpu_count() or 1
        self.functions = {
            declared.name: Function(
                declared,
                min(fed[declared.name] or cores, cores) if declared.name in fed else _ANSWERING_PROCESSES,
                self.aws.url,
                self.data,
            )
            for declared in template.functions
        }
        self._schedules = Schedules(template.schedules, self.functions)
        callers: list[Poller | Schedules] = [
            self._schedules,
            *(
                Poller(source, self.functions[source.function], self.client("sqs"))
                for source in template.event_sources
            ),
        ]
        # Left in the opposite order: call no more, cut off what runs, wait until its messages are put back.
        for caller in callers:
            caller.start()
            running.callback(caller.join)
        for function in self.functions.values():
            running.callback(function.stop)
        for caller in callers:
            running.callback(caller.stop)

    def _start_front(self, running: ExitStack, template: Template) -> None:
        invocations = running.enter_context(LoopbackServer(invoke_api(self.functions), self._lambda_port))
        self._lambda_url = invocations.url
        port = self._port or self._remembered_port("api")
        try:
            front = LoopbackServer(Gateway(template.gateway, self.functions), port)
        except OSError as error:
            raise StackError(f"port {port} is in use; choose another one") from error
        running.enter_context(front)
        self.url = front.url
        self.outputs = {**self.outputs, "Url": self.url}
        self.githost.webhook_url = self.url + WEBHOOK_PATH
        self.profile.write(self.data)
        running.callback((self.data / FILE_NAME).unlink, missing_ok=True)

    def _push_again(self) -> None:
        for source in self.githost.sources():
            try:
                self.githost.push(source)
            except CodeSageError as error:
                _log.warning("%s was not pushed again: %s", source.name, error)
        self.memory.forget(_REBUILD)

    # ---- what it remembers -------------------------------------------------------------------------------

    def _secret(self, name: str, length: int = 16) -> str:
        return self.memory.once(name, lambda: secrets.token_hex(length))

    def _remembered_port(self, name: str) -> int:
        """The port of the last run if it is still free: URLs that people or tools noted stay right."""
        port = free_port(int(self.memory.get(f"{name}-port") or 0))
        self.memory.remember(f"{name}-port", str(port))
        return port

    def remember(self, name: str, value: str) -> None:
        """Keep a fact in the data folder. `api_key` is also shown in the profile."""
        self.memory.remember(name, value)
        self.profile.write(self.data)

    @property
    def profile(self) -> Profile:
        return Profile(
            url=self.url,
            api_key=self.memory.get("api_key"),
            githost_url=self.githost.url,
            githost_token=self._secret("githost-admin-token"),
            aws_url=self.aws.url,
            lambda_url=self._lambda_url,
            region=ministack.REGION,
            outputs=dict(self.outputs),
        )

    # ---- using it ----------------------------------------------------------------------------------------

    def fire(self, schedule: str) -> InvokeResult:
        """Run a schedule's function now and wait for it; see `Schedules.fire`."""
        return self._schedules.fire(schedule)


def free_port(wanted: int) -> int:
    try:
        with socket.create_server((LOOPBACK, wanted)) as probe:
            return int(probe.getsockname()[1])
    except OSError:
        return free_port(0)


def _locked(path: Path, running: ExitStack) -> int:
    """Take the data folder for this process, and return the descriptor that holds it.

    ministack holds it too. So after a kill the next start waits here until the old state is written.
    """
    file = running.enter_context(path.open("a+"))
    deadline = time.monotonic() + _LOCK_SECONDS
    while not _try_lock(file.fileno()):
        file.seek(0)
        owner = file.read().strip()
        if _is_running(owner) or time.monotonic() > deadline:
            raise StackError(f"{path.parent} is in use by another stack (process {owner or 'unknown'})")
        time.sleep(0.05)
    file.truncate(0)
    file.write(str(os.getpid()))
    file.flush()
    running.callback(file.truncate, 0)  # whoever comes next waits for ministack, not for this process
    return file.fileno()


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_running(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
