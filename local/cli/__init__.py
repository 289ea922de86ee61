"""What a person types -> answers of a CodeSage, on this machine or deployed.

arguments ─> app ─> one module per command ─> api (HTTP) or operator (AWS)
                              └─> output, view
"""

import sys

from local.cli.app import app
from local.cli.errors import CommandError
from local.cli.output import complain


def main() -> None:
    """Exit codes: 0 done, 1 it failed and one line on standard error says why, 2 wrong usage, 130 Ctrl-C."""
    try:
        app()
    except CommandError as error:
        complain(str(error))
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
