"""What a cold function loads: each module is paid for on every cold start, so some must stay out."""

import json
import subprocess
import sys

import pytest

ALWAYS_OUT = ("boto3", "s3transfer", "tree_sitter", "tree_sitter_language_pack", "markdown_it", "local")
OUT = {
    "webhook": (*ALWAYS_OUT, "algoliasearch", "requests", "aws_lambda_powertools"),
    "authorizer": (*ALWAYS_OUT, "algoliasearch", "requests", "aws_lambda_powertools", "pydantic"),
    "search": (
        *ALWAYS_OUT,
        "aiohttp",
        "algoliasearch.search.client",
        "algoliasearch.search.models",
        "algoliasearch.ingestion",
        "aws_lambda_powertools.utilities.batch",
        "codesage.batches",
        "codesage.parsing",
    ),
    "snapshot": ALWAYS_OUT,
    "cleanup": ALWAYS_OUT,
}


def modules_of(function: str) -> set[str]:
    """What a fresh process has loaded once it has the handler."""
    code = f"import json, sys, functions.{function}.app; print(json.dumps(list(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("function", OUT)
def test_a_cold_function_loads_only_what_it_needs(function: str) -> None:
    loaded = modules_of(function)

    assert loaded & set(OUT[function]) == set()
