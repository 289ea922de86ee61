"""The layer of grammars as the build leaves it: small enough, and with every language in it."""

import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from codesage.languages import LANGUAGES

FOLDER = Path("layers/grammars")
PACKED = ("tree-sitter", "tree-sitter-language-pack", "tree-sitter-c-sharp", "tree-sitter-embedded-template")
WHEELS = ("tree-sitter-yaml", "tree-sitter-kotlin", "tree-sitter-scala", "tree-sitter-swift")
MARKDOWN = ("markdown-it-py", "mdit-py-plugins", "mdurl")

# Parses one file of each row with what the layer has, and shows which rows gave an entity.
SMOKE = """
import sys
layer, *others = sys.argv[1:]
sys.path[:] = [layer, *sys.path, *others]

def no_network(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(event)

sys.addaudithook(no_network)
from pathlib import Path
from codesage.languages import LANGUAGES, language_of
from codesage.parsing import entities_of

rows = set()
for case in Path("tests/languages").glob("*/*/input.*"):
    language = language_of(case.name, case.read_bytes())
    if entities_of(case.read_bytes(), language, case.name):
        rows.add(LANGUAGES.index(language))
loaded = [m.__file__ for name, m in sys.modules.items() if name.split(".")[0] in %r and m.__file__]
outside = [file for file in loaded if not file.startswith(layer)]
print(len(rows), len(loaded) > 20, outside)
"""


@pytest.fixture(scope="module")
def layer(tmp_path_factory) -> Path:
    """What is installed here, pruned as the build prunes what it installs for the functions."""
    artifacts = tmp_path_factory.mktemp("layer")
    for name in (*PACKED, *WHEELS, *MARKDOWN):
        found = distribution(name)
        for file in found.files or ():
            if file.suffix != ".pyc" and ".." not in file.parts:
                target = artifacts / "python" / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(found.locate_file(file), target)
    subprocess.run(
        ["make", "--directory", FOLDER, "prune", f"ARTIFACTS_DIR={artifacts}"],
        check=True,
        capture_output=True,
    )
    return artifacts / "python"


def test_the_layer_is_smaller_than_120_mb(layer):
    size = sum(file.stat().st_size for file in layer.rglob("*") if file.is_file())

    assert size < 120_000_000


def test_every_language_is_parsed_with_the_layer_alone_and_without_a_network(layer):
    shared = str(Path("layers/shared").resolve())
    installed = str(Path(distribution("pydantic").locate_file("")))
    packages = tuple({file.name for file in layer.iterdir() if not file.name.endswith(".dist-info")})

    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SMOKE % (packages,), layer, shared, installed],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (ran.stdout.split(), ran.stderr) == ([str(len(LANGUAGES)), "True", "[]"], "")


def test_the_layer_keeps_the_grammars_of_the_languages_and_no_others():
    listed = (FOLDER / "grammars.txt").read_text().split()
    of_wheels = {"csharp", "embeddedtemplate", "yaml"}  # the pack takes these from packages of their own

    assert listed == sorted({row.grammar for row in LANGUAGES if row.grammar} - of_wheels)


def test_the_layer_needs_a_wheel_for_each_language_that_names_one():
    required = (FOLDER / "requirements.txt").read_text()

    for row in LANGUAGES:
        assert row.wheel is None or row.wheel.replace("_", "-") + "==" in required
