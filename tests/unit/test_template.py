"""local.template: the real template resolves completely, and what is not supported is named."""

import json
from pathlib import Path

import pytest
import yaml

from local.template import (
    GatewayResponse,
    Surroundings,
    Template,
    TemplateError,
    load_document,
    merged,
    read_template,
)

REAL = Path(__file__).parents[2] / "template.yaml"
SQS = "http://127.0.0.1:4566"


def resolved(path: Path = REAL, time_factor: float = 1.0, **parameters: str) -> Template:
    return read_template(path, Surroundings("eu-west-1", "123456789012", SQS, parameters, time_factor))


@pytest.fixture
def template(tmp_path):
    """A template with the API that every template has, and the resources a test is about."""

    def read(resources: str = "", head: str = "", outputs: str = "", **parameters: str) -> Template:
        path = tmp_path / "template.yaml"
        path.write_text(
            f"{head}\nResources:\n  Api: {{Type: AWS::Serverless::Api, Properties: {{StageName: s}}}}\n"
            f"{resources}\nOutputs:\n  Answer: {{Value: {outputs or 'none'}}}\n"
        )
        return resolved(path, **parameters)

    return read


def function(properties: str, name: str = "F") -> str:
    return (
        f"  {name}:\n    Type: AWS::Serverless::Function\n"
        f"    Properties: {{CodeUri: code, Handler: app.run, {properties}}}\n"
    )


# ---- the real template -------------------------------------------------------------------------------------


def test_nothing_in_the_real_template_is_left_unresolved():
    text = repr(resolved(Environment="local"))

    assert "${" not in text
    assert "Fn::" not in text
    assert "{'Ref'" not in text


def test_a_function_gets_the_variables_of_globals_with_real_names():
    [parser] = [f for f in resolved(Environment="dev").functions if f.name == "ParserFunction"]

    assert (parser.handler, parser.timeout, parser.memory) == ("app.lambda_handler", 120, 1769)
    assert parser.code == REAL.parent / "functions/parser"
    assert parser.environment["TABLE_NAME"] == "codesage-dev"
    assert parser.environment["PARSE_QUEUE_URL"] == f"{SQS}/123456789012/codesage-dev-parse.fifo"
    assert parser.environment["BUCKET_NAME"] == "codesage-dev-123456789012-eu-west-1"
    assert parser.environment["ALGOLIA_INDEX_NAME"] == "codesage_code_entities_dev"


def test_an_index_name_given_as_parameter_takes_the_place_of_the_mapped_one():
    functions = resolved(Environment="dev", AlgoliaIndexName="mine").functions

    assert {f.environment["ALGOLIA_INDEX_NAME"] for f in functions} == {"mine"}


def test_queues_feed_their_functions_one_message_at_a_time():
    sources = resolved(Environment="local").event_sources

    assert [(s.function, s.queue.name, s.batch_size, s.concurrency, s.reports_failures) for s in sources] == [
        ("SnapshotFunction", "codesage-local-snapshot.fifo", 1, 10, True),
        ("ParserFunction", "codesage-local-parse.fifo", 1, 10, True),
    ]


def test_a_queue_names_its_dead_letter_queue_and_its_settings_as_text():
    queues = {queue.name: queue for queue in resolved(Environment="local").queues}

    parse, dead = queues["codesage-local-parse.fifo"], queues["codesage-local-parse-dead.fifo"]

    assert json.loads(parse.attributes["RedrivePolicy"]) == {
        "deadLetterTargetArn": dead.arn,
        "maxReceiveCount": 5,
    }
    assert {name: value for name, value in parse.attributes.items() if name != "RedrivePolicy"} == {
        "FifoQueue": "true",
        "DeduplicationScope": "messageGroup",
        "FifoThroughputLimit": "perMessageGroupId",
        "VisibilityTimeout": "720",
    }


def test_only_the_webhook_and_what_tells_nothing_of_anybody_need_no_key():
    routes = resolved(Environment="local").gateway.routes

    assert [(r.method, r.path, r.function) for r in routes if r.authorizer is None] == [
        ("POST", "/webhooks/{org}/{host}", "WebhookFunction"),
        ("GET", "/health", "SearchFunction"),
        ("GET", "/openapi.json", "SearchFunction"),
        ("OPTIONS", "/{proxy+}", "SearchFunction"),
    ]
    assert {r.authorizer for r in routes} == {None, "AuthorizerFunction"}


def test_a_gateway_response_has_its_status_its_headers_and_its_body():
    responses = resolved(Environment="local").gateway.responses

    assert responses["THROTTLED"].status == 429
    assert responses["UNAUTHORIZED"].headers == {
        "WWW-Authenticate": "Bearer",
        "X-Request-Id": "context.requestId",
    }
    assert responses["DEFAULT_4XX"] == GatewayResponse(
        None,
        {"X-Request-Id": "context.requestId"},
        '{"error": {"type": "InvalidRequest", "message": $context.error.messageString}}',
    )


def test_outputs_name_what_was_made():
    outputs = resolved(Environment="local").outputs

    assert outputs["TableName"] == "codesage-local"
    assert outputs["CleanupFunctionName"] == "CleanupFunction"
    assert outputs["SnapshotQueueUrl"] == f"{SQS}/123456789012/codesage-local-snapshot.fifo"


def test_a_time_factor_divides_what_is_waited_for():
    slow, fast = resolved(Environment="local"), resolved(Environment="local", time_factor=60)

    assert [s.every for s in slow.schedules] == [300, 3600, 604_800]
    assert [s.every for s in fast.schedules] == [5, 60, 10_080]
    assert [q.attributes["VisibilityTimeout"] for q in fast.queues] == ["30", "1", "12", "1"]
    assert [slow.functions[0].environment[n] for n in ("PAUSE_SECONDS", "PATIENCE_SECONDS")] == ["5", "780"]
    assert fast.functions[0].environment["PATIENCE_SECONDS"] == "13"


@pytest.fixture(scope="module")
def transformed():
    """The resources that SAM itself makes of the real template."""
    transform = pytest.importorskip("samtranslator.translator.transform").transform
    policies = pytest.importorskip("samtranslator.translator.managed_policy_translator")
    document = load_document(REAL)
    for node in document["Resources"].values():
        for key in {"CodeUri", "ContentUri"} & node["Properties"].keys():
            node["Properties"][key] = "s3://bucket/key"  # SAM refuses folders; deployment uploads them first
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        return transform(document, {}, policies.ManagedPolicyLoader(None))["Resources"]


def of_type(resources, kind):
    return {name: node["Properties"] for name, node in resources.items() if node["Type"] == kind}


def test_sam_makes_the_same_functions(transformed):
    ours = {
        f.name: (f.handler, f.memory, f.timeout, set(f.environment))
        for f in resolved(Environment="dev").functions
    }

    theirs = {
        name: (
            given["Handler"],
            given["MemorySize"],
            given["Timeout"],
            set(given["Environment"]["Variables"]),
        )
        for name, given in of_type(transformed, "AWS::Lambda::Function").items()
    }

    assert ours == theirs


def test_sam_makes_the_same_event_sources_and_schedules(transformed):
    template = resolved(Environment="dev")
    sources = of_type(transformed, "AWS::Lambda::EventSourceMapping").values()
    rules = of_type(transformed, "AWS::Events::Rule").values()

    assert sorted(
        (s.function, s.batch_size, s.concurrency, s.reports_failures) for s in template.event_sources
    ) == sorted(
        (
            given["FunctionName"]["Ref"],
            given["BatchSize"],
            given["ScalingConfig"]["MaximumConcurrency"],
            given["FunctionResponseTypes"] == ["ReportBatchItemFailures"],
        )
        for given in sources
    )
    assert {(s.function, json.dumps(s.input)) for s in template.schedules} == {
        (target["Arn"]["Fn::GetAtt"][0], json.dumps(json.loads(target["Input"])))
        for rule in rules
        for target in rule["Targets"]
    }


def test_sam_makes_the_same_routes_with_the_same_authorizers(transformed):
    [api] = of_type(transformed, "AWS::ApiGateway::RestApi").values()
    theirs = {
        (
            method.upper().replace("X-AMAZON-APIGATEWAY-ANY-METHOD", "ANY"),
            path,
            bool(needs and "KeyAuthorizer" in needs[0]),
        )
        for path, methods in api["Body"]["paths"].items()
        for method, operation in methods.items()
        for needs in [operation.get("security")]
    }

    ours = {(r.method, r.path, r.authorizer is not None) for r in resolved(Environment="dev").gateway.routes}

    assert ours == theirs


# ---- functions of the template language --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("!Sub '${Word}-${AWS::Region}-${!Word}'", "w-eu-west-1-${Word}"),
        ("!Sub ['${A}+${Q.Arn}', {A: !Ref Word}]", "w+arn:aws:sqs:eu-west-1:123456789012:q"),
        ("!Join ['/', [a, !Ref Word]]", "a/w"),
        ("!If [IsW, yes-it-is, !Ref Missing]", "yes-it-is"),
        ("!If [IsNotW, !Ref Missing, no]", "false"),
        ("!FindInMap [Map, !Ref Word, x]", "found"),
        ("!Select [1, [a, b]]", "b"),
        ("!Select [1, !Split [',', 'a,b']]", "b"),
        ("!GetAtt Q.QueueName", "q"),
        ("Fn::GetAtt: [Q, Arn]", None),
    ],
)
def test_an_intrinsic_function_gives_its_value(template, expression, value):
    head = (
        "Parameters: {Word: {Type: String, Default: w}}\n"
        "Conditions: {IsW: !Equals [!Ref Word, w], IsNotW: !Not [!Equals [!Ref Word, w]]}\n"
        "Mappings: {Map: {w: {x: found}}}"
    )
    queue = "  Q: {Type: AWS::SQS::Queue, Properties: {QueueName: q}}"
    written = expression if value else f"{{{expression}}}"

    outputs = template(queue, head, written).outputs

    assert outputs == {"Answer": value or "arn:aws:sqs:eu-west-1:123456789012:q"}


def test_a_property_without_value_is_left_out(template):
    head = "Conditions: {Never: !Equals [a, b]}"

    [built] = template(function("Timeout: !If [Never, 9, !Ref AWS::NoValue]"), head).functions

    assert built.timeout == 3


def test_a_resource_whose_condition_does_not_hold_is_not_made(template):
    head = "Conditions: {Never: !Equals [a, b]}"

    built = template("  Q: {Type: AWS::SQS::Queue, Condition: Never, Properties: {QueueName: q}}", head)

    assert built.queues == []


def test_globals_are_joined_to_a_functions_own_lists_and_mappings():
    general = {"Layers": ["shared"], "Timeout": 10, "Environment": {"Variables": {"A": "1", "B": "1"}}}
    own = {"Layers": ["mine"], "Timeout": 20, "Environment": {"Variables": {"B": "2"}}, "MemorySize": 1}

    assert merged(general, own) == {
        "Layers": ["shared", "mine"],
        "Timeout": 20,
        "Environment": {"Variables": {"A": "1", "B": "2"}},
        "MemorySize": 1,
    }


# ---- what is not supported ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ("  T: {Type: AWS::SNS::Topic, Properties: {}}", "T: AWS::SNS::Topic is not supported"),
        ("  Q: {Type: AWS::SQS::Queue, Properties: {QueueName: q, DelaySeconds: 3}}", "Q: DelaySeconds"),
        ("  Q: {Type: AWS::SQS::Queue, Properties: {}}", "Q: QueueName: Field required"),
        (function("VpcConfig: {}"), "F: VpcConfig"),
        (function("Timeout: soon"), "F: Timeout"),
        (function("Policies: [!GetAtt Nowhere.Arn]"), "there is no resource Nowhere"),
        (function("Events: {E: {Type: S3, Properties: {}}}"), "F: Events.E.Type"),
        (
            function(
                "Events: {E: {Type: Schedule, Properties: {Schedule: 'cron(0 1 * * ? *)', Input: '{}'}}}"
            ),
            r"F.E: cron\(0 1 \* \* \? \*\) is not supported",
        ),
        (function("Events: {E: {Type: SQS, Properties: {Queue: arn:x}}}"), "F.E: arn:x is no queue"),
        (
            function("Events: {E: {Type: SQS, Properties: {Queue: q, FilterCriteria: {}}}}"),
            "F.E: FilterCriteria",
        ),
        (
            function(
                "Events: {E: {Type: Api, "
                "Properties: {RestApiId: Api, Path: /, Method: GET, Auth: {Authorizer: X}}}}"
            ),
            "F.E: there is no authorizer X",
        ),
    ],
)
def test_what_is_not_supported_is_named(template, resources, message):
    with pytest.raises(TemplateError, match=message):
        template(resources)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("!Ref Nowhere", "there is no resource Nowhere"),
        ("!Sub '${Nowhere}'", "there is no resource Nowhere"),
        ("!GetAtt Api.RootResourceId", "Api has no attribute RootResourceId"),
        ("!Base64 x", "Fn::Base64 is not supported"),
        ("!ImportValue x", "Fn::ImportValue is not supported"),
        ("!If [Nowhere, a, b]", "there is no condition Nowhere"),
        ("!FindInMap [A, b, c]", "must be a mapping"),
    ],
)
def test_an_expression_that_cannot_be_resolved_is_named(template, expression, message):
    with pytest.raises(TemplateError, match=message):
        template(outputs=expression)


def test_a_parameter_that_the_template_lacks_is_refused():
    with pytest.raises(TemplateError, match="no such parameter: Nothing"):
        resolved(Nothing="x")


def test_a_value_that_a_parameter_does_not_allow_is_refused():
    with pytest.raises(TemplateError, match="parameter Environment may not be 'moon'"):
        resolved(Environment="moon")


def test_a_parameter_without_default_must_be_given(template):
    head = "Parameters: {Word: {Type: String}}"

    with pytest.raises(TemplateError, match="parameter Word has neither"):
        template("", head)

    assert template("", head, "!Ref Word", Word="given").outputs == {"Answer": "given"}


def test_a_gateway_header_that_is_not_a_fixed_text_is_refused(tmp_path):
    path = tmp_path / "template.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "Resources": {
                    "Api": {
                        "Type": "AWS::Serverless::Api",
                        "Properties": {
                            "StageName": "s",
                            "GatewayResponses": {
                                "UNAUTHORIZED": {
                                    "ResponseParameters": {"Headers": {"X": "method.request.path.a"}}
                                }
                            },
                        },
                    }
                }
            }
        )
    )

    with pytest.raises(TemplateError, match="UNAUTHORIZED: X: only a fixed value"):
        resolved(path)
