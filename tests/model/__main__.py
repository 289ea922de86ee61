"""`python -m tests.model --histories N --seed S`: explore for longer; exit code 1 if one breaks."""

import argparse
import sys

from tests.model.explorer import explore
from tests.model.rules import Rules


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.model")
    parser.add_argument("--histories", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first history; the next ones follow it")
    parser.add_argument("--without", action="append", default=[], help="a rule to leave out", metavar="RULE")
    arguments = parser.parse_args()
    rules = Rules(**dict.fromkeys(arguments.without, False))
    explored = explore(rules, range(arguments.seed, arguments.seed + arguments.histories))
    if explored.found is not None:
        print(explored.found)  # noqa: T201
        print(f"seed {arguments.seed + explored.histories - 1}")  # noqa: T201
    print(f"{explored.histories} histories, {explored.steps} steps explored")  # noqa: T201
    return 1 if explored.found else 0


if __name__ == "__main__":
    sys.exit(main())
