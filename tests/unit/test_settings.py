"""The template and the code agree on names and numbers that stand in both."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from codesage.batches import MAX_RECEIVES
from codesage.settings import Settings, settings
from local.template import Queue, Surroundings, Template, read_template

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
NOT_SETTINGS = {"POWERTOOLS_SERVICE_NAME"}  # read by the library itself
VARIABLES = {field.name.upper() for field in fields(Settings)}


@pytest.fixture(scope="module")
def template() -> Template:
    return read_template(
        TEMPLATE,
        Surroundings(region="r", account="1", queue_url="http://q", parameters={"Environment": "dev"}),
    )


def test_settings_are_the_variables_of_the_template(template: Template) -> None:
    for function in template.functions:
        names = {name for name in function.environment if not name.startswith("AWS_")} - NOT_SETTINGS

        assert names == VARIABLES


def test_the_environment_of_a_function_is_far_from_lambdas_4_kb(template: Template) -> None:
    for function in template.functions:
        size = sum(len(name) + len(value) for name, value in function.environment.items())

        assert size < 2048


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Every variable is set, and settings are read anew before and after."""
    for name in VARIABLES:
        monkeypatch.setenv(name, "1")
    settings.cache_clear()
    yield monkeypatch
    settings.cache_clear()


def test_each_missing_variable_is_named_and_no_other(environment: pytest.MonkeyPatch) -> None:
    environment.delenv("TABLE_NAME")
    environment.delenv("PAUSE_SECONDS")

    with pytest.raises(LookupError) as raised:
        settings()

    assert set(str(raised.value).split(": ")[1].split(", ")) == {"TABLE_NAME", "PAUSE_SECONDS"}


def test_a_variable_that_should_be_a_number_and_is_none_is_named(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PAUSE_SECONDS", "soon")

    with pytest.raises(ValueError, match="PAUSE_SECONDS is not a number: 'soon'"):
        settings()


def test_numbers_are_numbers_and_names_stay_text(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PAUSE_SECONDS", "0.5")
    environment.setenv("BUCKET_NAME", "12")

    assert (settings().pause_seconds, settings().bucket_name) == (0.5, "12")


def is_dead(queue: Queue) -> bool:
    return queue.name.endswith("-dead.fifo")


def visibility(queue: Queue) -> int:
    return int(queue.attributes["VisibilityTimeout"])


def test_both_queues_give_up_after_the_receipts_that_the_stages_count(template: Template) -> None:
    policies = [queue.attributes["RedrivePolicy"] for queue in template.queues if not is_dead(queue)]

    assert [json.loads(policy)["maxReceiveCount"] for policy in policies] == [MAX_RECEIVES, MAX_RECEIVES]


def test_visibility_is_six_times_the_functions_timeout(template: Template) -> None:
    timeouts = {function.name: function.timeout for function in template.functions}

    for source in template.event_sources:
        assert visibility(source.queue) == 6 * timeouts[source.function]


def test_the_watch_is_more_patient_than_a_receipt_of_a_pack_can_take(template: Template) -> None:
    [parse] = [queue for queue in template.queues if queue.name.endswith("-parse.fifo")]

    assert float(template.functions[0].environment["PATIENCE_SECONDS"]) > visibility(parse)


def test_the_layers_requirements_are_all_locked() -> None:
    root = TEMPLATE.parent
    locked = (root / "requirements" / "local.lock").read_text()

    for layer in ("shared", "grammars"):
        lines = (root / "layers" / layer / "requirements.txt").read_text().splitlines()
        for line in filter(lambda line: line and not line.startswith("#"), lines):
            assert f"\n{line} " in f"\n{locked}", line


def test_every_secret_starts_empty_and_names_its_fields() -> None:
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_multi_constructor("!", lambda loader, suffix, node: None)
    resources = yaml.load(TEMPLATE.read_text(), Loader)["Resources"]
    secrets = [r["Properties"]["SecretString"] for r in resources.values() if r["Type"].endswith("Secret")]

    assert len(secrets) == 4
    for text in secrets:
        assert all(value == "" for value in yaml.safe_load(text).values())
