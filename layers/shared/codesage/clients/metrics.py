"""Counters -> CloudWatch metrics, in its embedded format: one line of the log that is both."""

from collections.abc import Mapping

from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

NAMESPACE = "CodeSage"


def emit(service: str, counts: Mapping[str, int], **facts: object) -> None:
    """Add the counts to the service's metrics. `facts` stand in the log line only: they make no series."""
    if not counts:
        return
    metrics = EphemeralMetrics(namespace=NAMESPACE, service=service)
    for name, value in counts.items():
        metrics.add_metric(name, MetricUnit.Count, value)
    for name, fact in facts.items():
        metrics.add_metadata(name, fact)
    metrics.flush_metrics()
