"""template.yaml -> the resources it asks for, as plain values: no intrinsic function is left in them.

SAM's own transform and CloudFormation stand-ins drop what they do not know. Here the unknown is an error
that names it: a resource type, a property, a reference. What is known and changes nothing on one machine
(policies, encryption, layers) is listed in the models below, so that the list says what is not imitated.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias, TypeVar

import yaml
from pydantic import (
    AliasGenerator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_pascal

Node: TypeAlias = "dict[str, Node] | list[Node] | str | int | float | bool | None"


class TemplateError(Exception):
    """The template asks for something that this stack would silently leave out."""


# ---- what comes out ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Function:
    name: str
    code: Path
    """The folder that is /var/task in Lambda."""
    handler: str
    memory: int
    """Megabytes."""
    timeout: int
    """Seconds."""
    environment: Mapping[str, str]
    logging: Mapping[str, str] = field(default_factory=dict)
    """What Lambda sets in the environment of its own accord, for its runtime."""


@dataclass(frozen=True)
class Queue:
    name: str
    arn: str
    url: str
    attributes: Mapping[str, str]
    """As SQS takes them: every value is text, RedrivePolicy is JSON."""

    @property
    def dead_letters(self) -> bool:
        """Whether failed messages leave for another queue, which must then exist before this one."""
        return "RedrivePolicy" in self.attributes


@dataclass(frozen=True)
class Table:
    name: str
    definition: Mapping[str, Node]
    """The arguments of CreateTable."""
    expiry_attribute: str | None


@dataclass(frozen=True)
class Secret:
    name: str
    description: str
    value: str
    """What a secret that does not exist yet starts with."""


@dataclass(frozen=True)
class EventSource:
    """Messages of `queue` become invocations of `function`."""

    function: str
    queue: Queue
    batch_size: int
    concurrency: int | None
    reports_failures: bool


@dataclass(frozen=True)
class Route:
    method: str
    """An HTTP method, or ANY."""
    path: str
    function: str
    authorizer: str | None
    """The function that lets the request through; None where anybody may come in."""


@dataclass(frozen=True)
class GatewayResponse:
    status: int | None
    """None keeps the status of the reply it replaces."""
    headers: Mapping[str, str]
    body: str | None
    """A mapping template of JSON; None keeps the gateway's own."""


@dataclass(frozen=True)
class Gateway:
    stage: str
    routes: Sequence[Route]
    responses: Mapping[str, GatewayResponse]
    binary_types: Sequence[str]
    """Media types whose bodies pass as base64. All others pass as text."""


@dataclass(frozen=True)
class Schedule:
    name: str
    function: str
    every: float
    """Seconds between two firings."""
    input: Mapping[str, Node]


@dataclass(frozen=True)
class Template:
    functions: Sequence[Function]
    queues: Sequence[Queue]
    tables: Sequence[Table]
    buckets: Sequence[str]
    secrets: Sequence[Secret]
    event_sources: Sequence[EventSource]
    schedules: Sequence[Schedule]
    gateway: Gateway
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Surroundings:
    """What CloudFormation would know beside the template.

    Args:
        account: twelve digits.
        queue_url: where queue URLs begin, as in `https://sqs.REGION.amazonaws.com`.
        parameters: values that take the place of defaults.
        time_factor: divides what is waited for: visibility timeouts (not below 1 s), schedules, and the
            parameters whose names end in `Seconds`.
    """

    region: str
    account: str
    queue_url: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    time_factor: float = 1.0


# ---- YAML --------------------------------------------------------------------------------------------------


class _Loader(yaml.SafeLoader):
    """SafeLoader with CloudFormation's short tags: `!Sub x` reads as `{"Fn::Sub": "x"}`."""


def _short_tag(loader: _Loader, suffix: str, node: yaml.Node) -> Node:
    if isinstance(node, yaml.ScalarNode):
        value: Node = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        raise TemplateError(f"!{suffix} takes text or a list")
    if suffix == "GetAtt" and isinstance(value, str):
        value = list(value.split(".", 1))
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _short_tag)


# ---- properties --------------------------------------------------------------------------------------------


def _as_text(value: object) -> object:
    """CloudFormation hands every value on as text, and writes booleans small."""
    return str(value).lower() if isinstance(value, bool) else str(value)


Text = Annotated[str, BeforeValidator(_as_text)]


class Properties(BaseModel):
    """A resource's properties. Those in `without_effect` are resolved, so a wrong reference in them shows."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(validation_alias=to_pascal), extra="forbid", frozen=True
    )
    without_effect: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_has_no_effect(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {key: value for key, value in given.items() if key not in cls.without_effect}


class VariablesProperties(Properties):
    variables: dict[str, Text] = {}


class LoggingProperties(Properties):
    """Lambda tells its runtime of them in the environment."""

    without_effect = frozenset({"SystemLogLevel"})  # of lines that Lambda itself writes
    log_format: Literal["Text", "JSON"] = "Text"
    application_log_level: str = "INFO"

    @property
    def variables(self) -> dict[str, str]:
        if self.log_format == "Text":  # then Lambda filters nothing
            return {}
        return {"AWS_LAMBDA_LOG_FORMAT": self.log_format, "AWS_LAMBDA_LOG_LEVEL": self.application_log_level}


class FunctionProperties(Properties):
    # IAM, architecture, layers and the size of /tmp are not imitated.
    without_effect = frozenset(
        {"Architectures", "Description", "EphemeralStorage", "Layers", "Policies", "Runtime"}
    )
    code_uri: str
    handler: str
    memory_size: int = 128
    timeout: int = 3
    environment: VariablesProperties = VariablesProperties()
    logging_config: LoggingProperties = LoggingProperties()
    events: dict[str, "Event"] = {}


class Event(Properties):
    type: Literal["Api", "SQS", "Schedule"]
    properties: dict[str, object]


class RouteAuth(Properties):
    authorizer: str


class ApiEvent(Properties):
    rest_api_id: str
    path: str
    method: str
    auth: RouteAuth | None = None


class ScalingConfig(Properties):
    maximum_concurrency: int = Field(ge=2)


class SqsEvent(Properties):
    queue: str
    batch_size: int = Field(default=10, ge=1, le=10)
    function_response_types: list[Literal["ReportBatchItemFailures"]] = []
    scaling_config: ScalingConfig | None = None


class ScheduleEvent(Properties):
    without_effect = frozenset({"Description"})
    schedule: str
    input: str


class AuthorizerIdentity(Properties):
    # A cache would want every identity source present, which the front does not imitate.
    reauthorize_every: Literal[0]


class AuthorizerProperties(Properties):
    function_arn: str
    function_payload_type: Literal["REQUEST"]
    identity: AuthorizerIdentity


class ApiAuth(Properties):
    without_effect = frozenset({"AddDefaultAuthorizerToCorsPreflight"})
    default_authorizer: str | None = None
    authorizers: dict[str, AuthorizerProperties] = {}


class ResponseParameters(Properties):
    headers: dict[str, str] = {}


class GatewayResponseProperties(Properties):
    status_code: int | None = None
    response_parameters: ResponseParameters = ResponseParameters()
    response_templates: dict[Literal["application/json"], str] = {}


class ApiProperties(Properties):
    # Throttles, tracing and access logs belong to the deployed stage.
    without_effect = frozenset(
        {
            "AccessLogSetting",
            "Description",
            "EndpointConfiguration",
            "MethodSettings",
            "Name",
            "TracingEnabled",
        }
    )
    stage_name: str
    auth: ApiAuth = ApiAuth()
    gateway_responses: dict[str, GatewayResponseProperties] = {}
    binary_media_types: list[str] = []


class RedrivePolicy(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    deadLetterTargetArn: str  # noqa: N815 - SQS's own name
    maxReceiveCount: int  # noqa: N815


class QueueProperties(Properties):
    without_effect = frozenset({"KmsMasterKeyId", "SqsManagedSseEnabled"})
    queue_name: str
    fifo_queue: Text | None = None
    content_based_deduplication: Text | None = None
    deduplication_scope: str | None = None
    fifo_throughput_limit: str | None = None
    visibility_timeout: int = 30
    message_retention_period: Text | None = None
    redrive_policy: RedrivePolicy | None = None


class TimeToLive(Properties):
    attribute_name: str
    enabled: bool


class TableProperties(Properties):
    without_effect = frozenset({"PointInTimeRecoverySpecification", "SSESpecification"})
    table_name: str
    billing_mode: Literal["PAY_PER_REQUEST"]
    attribute_definitions: list[dict[str, object]]
    key_schema: list[dict[str, object]]
    global_secondary_indexes: list[dict[str, object]] = []
    time_to_live_specification: TimeToLive | None = None


class BucketProperties(Properties):
    # Nothing expires locally: a data folder is deleted as a whole.
    without_effect = frozenset(
        {"BucketEncryption", "LifecycleConfiguration", "PublicAccessBlockConfiguration"}
    )
    bucket_name: str


class SecretProperties(Properties):
    name: str
    description: str = ""
    secret_string: str


_WITHOUT_EFFECT = frozenset(
    {
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
        "AWS::Logs::LogGroup",
        "AWS::Logs::MetricFilter",
        "AWS::Serverless::LayerVersion",
    }
)

P = TypeVar("P", bound=Properties)


def _properties(where: str, model: type[P], node: object) -> P:
    """Raises: TemplateError: a property is missing, of a wrong kind, or not supported; names it."""
    try:
        return model.model_validate(node)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(step) for step in first["loc"])
        raise TemplateError(f"{where}: {path}: {first['msg']}") from error


# ---- resolving ---------------------------------------------------------------------------------------------


class _NoValue:
    """What `AWS::NoValue` stands for: the property or list item that holds it is left out."""


_NO_VALUE = _NoValue()
_Value: TypeAlias = "Node | _NoValue"
_SUBSTITUTION = re.compile(r"\$\{(!?)([^}]+)\}")


def _mapping(where: str, node: Node) -> dict[str, Node]:
    if not isinstance(node, dict):
        raise TemplateError(f"{where} must be a mapping")
    return node


def _list(where: str, node: Node, length: int | None = None) -> list[Node]:
    if not isinstance(node, list) or (length is not None and len(node) != length):
        raise TemplateError(f"{where} must be a list" + (f" of {length}" if length else ""))
    return node


class _Resolver:
    """Nodes of the document -> the same nodes without intrinsic functions."""

    def __init__(self, document: dict[str, Node], surroundings: Surroundings) -> None:
        self._around = surroundings
        self._conditions = _mapping("Conditions", document.get("Conditions", {}))
        self._mappings = _mapping("Mappings", document.get("Mappings", {}))
        self.resources = _mapping("Resources", document["Resources"])
        self._values = self._pseudo_parameters() | self._parameters(document)
        self._functions: dict[str, Callable[[Node], _Value]] = {
            "Ref": self._ref,
            "Condition": self._condition,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::If": self._if,
            "Fn::Equals": self._equals,
            "Fn::Not": self._not,
            "Fn::FindInMap": self._find_in_map,
            "Fn::Select": self._select,
            "Fn::Split": self._split,
        }

    def _pseudo_parameters(self) -> dict[str, str]:
        return {
            "AWS::AccountId": self._around.account,
            "AWS::Partition": "aws",
            "AWS::Region": self._around.region,
            "AWS::StackName": "codesage",
            "AWS::URLSuffix": "amazonaws.com",
        }

    def _parameters(self, document: dict[str, Node]) -> dict[str, str]:
        declared = _mapping("Parameters", document.get("Parameters", {}))
        if unknown := self._around.parameters.keys() - declared.keys():
            raise TemplateError(f"no such parameter: {', '.join(sorted(unknown))}")
        return {name: self._parameter(name, _mapping(name, node)) for name, node in declared.items()}

    def _parameter(self, name: str, declared: dict[str, Node]) -> str:
        value = self._around.parameters.get(name, declared.get("Default"))
        if value is None:
            raise TemplateError(f"parameter {name} has neither a value nor a default")
        allowed = declared.get("AllowedValues")
        if isinstance(allowed, list) and value not in allowed:
            raise TemplateError(f"parameter {name} may not be {value!r}")
        if name.endswith("Seconds"):
            return f"{float(str(value)) / self._around.time_factor:g}"
        return str(value)

    def value(self, node: Node) -> Node:
        """Raises: TemplateError: an unknown function, reference or attribute; names it."""
        resolved = self._value(node)
        if isinstance(resolved, _NoValue):
            raise TemplateError("AWS::NoValue stands where a value is needed")
        return resolved

    def _value(self, node: Node) -> _Value:
        if isinstance(node, list):
            items = [self._value(item) for item in node]
            return [item for item in items if not isinstance(item, _NoValue)]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            [(name, argument)] = node.items()
            # `Condition` is also a property's name, in policies and in resources.
            if name in self._functions and not (name == "Condition" and not isinstance(argument, str)):
                return self._functions[name](argument)
            if name.startswith("Fn::"):
                raise TemplateError(f"{name} is not supported")
        values = {key: self._value(value) for key, value in node.items()}
        return {key: value for key, value in values.items() if not isinstance(value, _NoValue)}

    def text(self, node: Node) -> str:
        value = self.value(node)
        if isinstance(value, dict | list) or value is None:
            raise TemplateError(f"text is needed, not {value!r}")
        return str(_as_text(value))

    def exists(self, node: Node) -> bool:
        """Whether a resource or output has no condition, or one that holds."""
        name = node.get("Condition") if isinstance(node, dict) else None
        return not isinstance(name, str) or self._condition(name)

    def resource(self, name: str) -> tuple[str, dict[str, Node]]:
        """Its type and its properties, not yet resolved."""
        node = self.resources.get(name)
        if node is None or not self.exists(node):
            raise TemplateError(f"there is no resource {name}")
        declared = _mapping(name, node)
        return str(declared.get("Type")), _mapping(name, declared.get("Properties", {}))

    def attributes(self, name: str) -> dict[str, str]:
        """What `Ref` and `GetAtt` give for a resource; `Ref` has the key "Ref"."""
        kind, properties = self.resource(name)
        region, account = self._around.region, self._around.account

        def called(key: str) -> str:
            if key not in properties:
                raise TemplateError(f"{name}: {key}: Field required")
            return self.text(properties[key])

        match kind:
            case "AWS::SQS::Queue":
                queue = called("QueueName")
                url = f"{self._around.queue_url}/{account}/{queue}"
                return {"Ref": url, "QueueName": queue, "Arn": f"arn:aws:sqs:{region}:{account}:{queue}"}
            case "AWS::DynamoDB::Table":
                table = called("TableName")
                return {"Ref": table, "Arn": f"arn:aws:dynamodb:{region}:{account}:table/{table}"}
            case "AWS::S3::Bucket":
                bucket = called("BucketName")
                return {"Ref": bucket, "Arn": f"arn:aws:s3:::{bucket}"}
            case "AWS::Serverless::Function":
                return {"Ref": name, "Arn": f"arn:aws:lambda:{region}:{account}:function:{name}"}
            case "AWS::Serverless::Api":
                return {"Ref": name}
            case "AWS::Serverless::LayerVersion":
                return {"Ref": f"arn:aws:lambda:{region}:{account}:layer:{name}:1"}
        raise TemplateError(f"a reference to {name}, a {kind}, is not supported")

    def _ref(self, argument: Node) -> _Value:
        name = str(argument)
        if name == "AWS::NoValue":
            return _NO_VALUE
        if name in self._values:
            return self._values[name]
        return self.attributes(name)["Ref"]

    def _get_att(self, argument: Node) -> str:
        name, attribute = (str(part) for part in _list("Fn::GetAtt", argument, 2))
        attributes = self.attributes(name)
        if attribute not in attributes:
            raise TemplateError(f"{name} has no attribute {attribute} here")
        return attributes[attribute]

    def _sub(self, argument: Node) -> str:
        template, own = _list("Fn::Sub", argument, 2) if isinstance(argument, list) else (argument, {})
        named = _mapping("Fn::Sub", own)

        def substituted(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in named:
                return self.text(named[name])
            return self.text(self._get_att(list(name.split(".", 1))) if "." in name else {"Ref": name})

        return _SUBSTITUTION.sub(substituted, str(template))

    def _join(self, argument: Node) -> str:
        separator, items = _list("Fn::Join", argument, 2)
        return str(separator).join(self.text(item) for item in _list("Fn::Join", self.value(items)))

    def _if(self, argument: Node) -> _Value:
        condition, then, otherwise = _list("Fn::If", argument, 3)
        return self._value(then if self._condition(condition) else otherwise)

    def _condition(self, argument: Node) -> bool:
        name = str(argument)
        if name not in self._conditions:
            raise TemplateError(f"there is no condition {name}")
        return bool(self.value(self._conditions[name]))

    def _equals(self, argument: Node) -> bool:
        one, other = _list("Fn::Equals", argument, 2)
        return self.text(one) == self.text(other)

    def _not(self, argument: Node) -> bool:
        [condition] = _list("Fn::Not", argument, 1)
        return not self.value(condition)

    def _find_in_map(self, argument: Node) -> Node:
        steps = [self.text(step) for step in _list("Fn::FindInMap", argument, 3)]
        node: Node = self._mappings
        for step in steps:
            node = _mapping("Fn::FindInMap", node).get(step)
        if node is None:
            raise TemplateError(f"there is no mapping {'.'.join(steps)}")
        return node

    def _select(self, argument: Node) -> Node:
        index, items = _list("Fn::Select", argument, 2)
        return _list("Fn::Select", self.value(items))[int(self.text(index))]

    def _split(self, argument: Node) -> Node:
        separator, text = _list("Fn::Split", argument, 2)
        return list(self.text(text).split(str(separator)))


def merged(general: Node, own: Node) -> Node:
    """SAM's way of applying Globals: mappings merge, lists are joined with the general one first."""
    if isinstance(general, dict) and isinstance(own, dict):
        both = {key: merged(value, own[key]) if key in own else value for key, value in general.items()}
        return both | {key: value for key, value in own.items() if key not in general}
    if isinstance(general, list) and isinstance(own, list):
        return general + own
    return own


# ---- building ----------------------------------------------------------------------------------------------


class _Builder:
    """One document -> a Template."""

    def __init__(self, document: dict[str, Node], folder: Path, surroundings: Surroundings) -> None:
        self._resolver = _Resolver(document, surroundings)
        self._outputs = _mapping("Outputs", document.get("Outputs", {}))
        self._globals = _mapping("Globals", document.get("Globals", {}))
        self._folder = folder
        self._factor = surroundings.time_factor
        self._resolved: dict[str, dict[str, Node]] = {}
        if unknown := self._globals.keys() - {"Function"}:
            raise TemplateError(f"Globals.{min(unknown)} is not supported")
        for name, node in self._resolver.resources.items():
            if self._resolver.exists(node):
                kind, properties = self._resolver.resource(name)
                if kind == "AWS::Serverless::Function":
                    properties = _mapping(name, merged(self._globals.get("Function", {}), properties))
                self._resolved.setdefault(kind, {})[name] = self._resolver.value(properties)
        self._queues = {name: self._queue(name, node) for name, node in self._of("AWS::SQS::Queue")}
        self._functions = {
            name: _properties(name, FunctionProperties, node)
            for name, node in self._of("AWS::Serverless::Function")
        }
        self._api_name, self._api = self._only_api()

    def _of(self, kind: str) -> list[tuple[str, Node]]:
        return list(self._resolved.get(kind, {}).items())

    def template(self) -> Template:
        self._check_types()
        return Template(
            functions=[self._function(name, given) for name, given in self._functions.items()],
            queues=list(self._queues.values()),
            tables=[self._table(name, node) for name, node in self._of("AWS::DynamoDB::Table")],
            buckets=[
                _properties(name, BucketProperties, node).bucket_name
                for name, node in self._of("AWS::S3::Bucket")
            ],
            secrets=[self._secret(name, node) for name, node in self._of("AWS::SecretsManager::Secret")],
            event_sources=[self._event_source(*event) for event in self._events("SQS", SqsEvent)],
            schedules=[self._schedule(*event) for event in self._events("Schedule", ScheduleEvent)],
            gateway=self._gateway(),
            outputs={
                name: self._resolver.text(_mapping(name, node)["Value"])
                for name, node in self._outputs.items()
                if self._resolver.exists(node)
            },
        )

    def _check_types(self) -> None:
        known = _WITHOUT_EFFECT | {
            "AWS::DynamoDB::Table",
            "AWS::S3::Bucket",
            "AWS::SQS::Queue",
            "AWS::SecretsManager::Secret",
            "AWS::Serverless::Api",
            "AWS::Serverless::Function",
        }
        for kind in self._resolved.keys() - known:
            raise TemplateError(f"{min(self._resolved[kind])}: {kind} is not supported")

    def _only_api(self) -> tuple[str, ApiProperties]:
        apis = self._of("AWS::Serverless::Api")
        if len(apis) != 1:
            raise TemplateError(f"one AWS::Serverless::Api is needed, not {len(apis)}")
        [(name, node)] = apis
        return name, _properties(name, ApiProperties, node)

    def _function(self, name: str, given: FunctionProperties) -> Function:
        return Function(
            name=name,
            code=self._folder / given.code_uri,
            handler=given.handler,
            memory=given.memory_size,
            timeout=given.timeout,
            environment=given.environment.variables,
            logging=given.logging_config.variables,
        )

    def _queue(self, name: str, node: Node) -> Queue:
        given = _properties(name, QueueProperties, node)
        attributes = {
            to_pascal(key): value
            for key, value in given.model_dump(exclude={"queue_name", "redrive_policy"}).items()
            if value is not None
        }
        attributes["VisibilityTimeout"] = str(max(1, math.floor(given.visibility_timeout / self._factor)))
        if given.redrive_policy is not None:
            attributes["RedrivePolicy"] = given.redrive_policy.model_dump_json()
        known = self._resolver.attributes(name)
        return Queue(name=given.queue_name, arn=known["Arn"], url=known["Ref"], attributes=attributes)

    def _table(self, name: str, node: Node) -> Table:
        given = _properties(name, TableProperties, node)
        expiry = given.time_to_live_specification
        left_out = {"TimeToLiveSpecification"} | TableProperties.without_effect
        definition = {key: value for key, value in _mapping(name, node).items() if key not in left_out}
        return Table(
            given.table_name, definition, expiry.attribute_name if expiry and expiry.enabled else None
        )

    def _secret(self, name: str, node: Node) -> Secret:
        given = _properties(name, SecretProperties, node)
        return Secret(given.name, given.description, given.secret_string)

    def _events(self, kind: str, model: type[P]) -> list[tuple[str, str, P]]:
        """(function's name, event's name, its properties) of every event of one type."""
        return [
            (function, name, _properties(f"{function}.{name}", model, event.properties))
            for function, given in self._functions.items()
            for name, event in given.events.items()
            if event.type == kind
        ]

    def _event_source(self, function: str, name: str, given: SqsEvent) -> EventSource:
        queue = next((queue for queue in self._queues.values() if queue.arn == given.queue), None)
        if queue is None:
            raise TemplateError(f"{function}.{name}: {given.queue} is no queue of this template")
        return EventSource(
            function=function,
            queue=queue,
            batch_size=given.batch_size,
            concurrency=given.scaling_config.maximum_concurrency if given.scaling_config else None,
            reports_failures=bool(given.function_response_types),
        )

    def _schedule(self, function: str, name: str, given: ScheduleEvent) -> Schedule:
        document = _mapping(f"{function}.{name}: Input", json.loads(given.input))
        every = _seconds_between(f"{function}.{name}", given.schedule)
        return Schedule(name, function, every / self._factor, document)

    def _gateway(self) -> Gateway:
        return Gateway(
            stage=self._api.stage_name,
            routes=[self._route(*event) for event in self._events("Api", ApiEvent)],
            responses={
                kind: GatewayResponse(
                    status=given.status_code,
                    headers={
                        header: _static_value(f"{kind}: {header}", value)
                        for header, value in given.response_parameters.headers.items()
                    },
                    body=given.response_templates.get("application/json"),
                )
                for kind, given in self._api.gateway_responses.items()
            },
            binary_types=[kind.replace("~1", "/") for kind in self._api.binary_media_types],
        )

    def _route(self, function: str, name: str, given: ApiEvent) -> Route:
        if given.rest_api_id != self._api_name:
            raise TemplateError(f"{function}.{name}: {given.rest_api_id} is no API of this template")
        authorizer = given.auth.authorizer if given.auth else self._api.auth.default_authorizer
        if authorizer in (None, "NONE"):
            return Route(given.method.upper(), given.path, function, None)
        declared = self._api.auth.authorizers.get(str(authorizer))
        if declared is None:
            raise TemplateError(f"{function}.{name}: there is no authorizer {authorizer}")
        return Route(given.method.upper(), given.path, function, declared.function_arn.rsplit(":", 1)[-1])


def _static_value(where: str, value: str) -> str:
    """API Gateway writes a fixed header value in single quotes; of its mappings one is supported."""
    if value == REQUEST_ID:
        return value
    if len(value) < 2 or not (value[0] == value[-1] == "'"):
        raise TemplateError(f"{where}: only a fixed value in single quotes is supported, not {value}")
    return value[1:-1]


REQUEST_ID = "context.requestId"  # as a header's value: what the request has in `x-amzn-RequestId`

_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_UNIT_SECONDS = {"minute": 60, "hour": 3600, "day": 86400}


def _seconds_between(where: str, expression: str) -> int:
    match = _RATE.fullmatch(expression)
    if match is None:
        raise TemplateError(f"{where}: {expression} is not supported, only rate(...)")
    return int(match[1]) * _UNIT_SECONDS[match[2]]


def load_document(path: Path) -> dict[str, Node]:
    """The template as written, its short tags in their long form."""
    # S506: the loader is a SafeLoader with tags that build plain values.
    document: Node = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506
    return _mapping(path.name, document)


def read_template(path: Path, surroundings: Surroundings) -> Template:
    """Read a SAM template.

    Raises:
        TemplateError: it holds a type, property, function or reference that is not supported; names it.
    """
    return _Builder(load_document(path), path.parent.resolve(), surroundings).template()
