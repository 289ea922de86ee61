"""The commands -> one Typer application."""

import typer

from local.cli.again import rebuild, redrive
from local.cli.doctor import doctor
from local.cli.fire import fire
from local.cli.index import index
from local.cli.keys import keys
from local.cli.orgs import orgs
from local.cli.search import search
from local.cli.status import status
from local.cli.up import up
from local.cli.why import why

app = typer.Typer(
    name="codesage",
    help="Code search a team can own. First `codesage up`, then `codesage index .` and `codesage search`.",
    epilog="CODESAGE_URL and CODESAGE_API_KEY choose a deployed CodeSage; else the commands use the local"
    " stack of the data folder CODESAGE_DATA (default ~/.local/share/codesage).",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (up, index, search, status, why, redrive, rebuild, fire, doctor):
    app.command()(command)
app.add_typer(keys, name="keys")
app.add_typer(orgs, name="orgs")
