"""A number of files -> a Python package of that size, the same at every call."""

FILES_PER_FOLDER = 50
FUNCTIONS = 3  # of a file

FILE = '''"""Part {number}: what is weighed, sorted and counted there."""

import math
'''
FUNCTION = '''

def {name}(parcels, limit=100):
    """{verb} the parcels of part {number}, the heaviest first."""
    kept = []
    for parcel in sorted(parcels, key=lambda parcel: parcel.weight, reverse=True):
        share = math.ceil(parcel.weight / {divisor})
        if share > limit:
            continue
        kept.append((parcel.label, share))
    return kept
'''
VERBS = ("weigh", "sort", "count")


def path(number: int) -> str:
    return f"depot/area_{number // FILES_PER_FOLDER:03}/part_{number:04}.py"


def names(number: int) -> list[str]:
    """Of the functions in the file."""
    return [f"{verb}_part_{number:04}" for verb in VERBS]


def text(number: int) -> str:
    functions = (
        FUNCTION.format(name=name, verb=verb.capitalize(), number=number, divisor=number % 7 + place + 2)
        for place, (name, verb) in enumerate(zip(names(number), VERBS, strict=True))
    )
    return FILE.format(number=number) + "".join(functions)


def package(files: int) -> dict[str, str | bytes | None]:
    return {path(number): text(number) for number in range(files)}


def with_one_change(number: int, limit: int) -> str:
    """The file with another number in one function, and no line more or less."""
    return text(number).replace("limit=100", f"limit={limit}", 1)


def moved(number: int) -> str:
    """The file with every function some lines further down."""
    return text(number).replace(
        "import math\n", "import math\n\n# Weights are in grams.\n# Shares are whole.\n"
    )


def second_commit(files: int) -> dict[str, str | bytes | None]:
    """Of every four files two are moved, and in one a function is changed where it stands."""
    changes: dict[str, str | bytes | None] = {}
    for number in range(files):
        if number % 2:
            changes[path(number)] = moved(number)
        elif number % 4 == 0:
            changes[path(number)] = with_one_change(number, 200)
    return changes
