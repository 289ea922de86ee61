"""The benchmark of questions with known answers -> how early the entity search finds them.

The questions and their scorer are kept outside of this repository, in the folder that CODESAGE_BENCH_DATA
names, as are the script that fetches the pinned packages and the list of files that count.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from local.cli.api import Api
from local.cli.deployment import Deployment
from local.cli.first_key import first_key
from local.cli.indexing import Indexing
from local.stack import Stack

PACKAGES = Path("build/bench/packages").absolute()
RUN = Path("build/bench/quality-run.jsonl")
GOAL, FLOOR = 0.60, 0.50  # MRR@10 of the entities tier over all questions
RANKED = 10
PAGES = 4  # of 50 hits: tests and other files that do not count may stand before those that do


def measure(folder: Path) -> Mapping[str, object]:
    """Index the packages of benchmark B on a fresh stack, ask its questions, and score the answers."""
    data = os.environ.get("CODESAGE_BENCH_DATA")
    if not data:
        sys.exit("Name the folder of the benchmark: CODESAGE_BENCH_DATA=… make bench-quality")
    benchmark = Path(data)
    corpora = {
        name: corpus
        for name, corpus in json.loads((benchmark / "corpora.json").read_text()).items()
        if corpus["bench"] == "B"
    }
    subprocess.run([sys.executable, benchmark / "get_corpora.py", PACKAGES, *corpora], check=True)
    with Stack(folder / "data", port=0) as stack:
        api = Api(Deployment(stack.profile.url, first_key(stack), stack.profile))
        for name, corpus in corpora.items():
            source = stack.githost.add(f"bench/{name}", PACKAGES / corpus["dir"])
            stack.githost.push(source)
            Indexing(api, f"bench/{name}").wait(stack.githost.head(source) or "", 300)
        questions = [json.loads(line) for line in (benchmark / "B-open.jsonl").read_text().splitlines()]
        files = {name: _files(benchmark, corpus) for name, corpus in corpora.items()}
        with RUN.open("w") as run:
            for question in questions:
                corpus = question["corpus"]
                ranked = _ranked(api, f"bench/{corpus}", question["query"], files[corpus])
                run.write(json.dumps({"id": question["id"], "ranked": ranked}) + "\n")
    scores = _scores(benchmark)
    return {
        "questions": len(questions),
        "mrr_10": scores["all"]["MRR@10"],
        "floor_met": scores["all"]["MRR@10"] >= FLOOR,
        "goal_met": scores["all"]["MRR@10"] >= GOAL,
        "scores": scores,
    }


def _files(benchmark: Path, corpus: Mapping[str, str]) -> set[str]:
    """The files of a package whose entities count as answers."""
    listed = runpy.run_path(str(benchmark / "corpus_files.py"))["tree_files"]
    return {
        path
        for path in listed(str(PACKAGES / corpus["dir"]), corpus["docs"])
        if re.search(corpus["only"], path)
    }


def _ranked(api: Api, repository: str, query: str, files: set[str]) -> list[Mapping[str, object]]:
    ranked: list[Mapping[str, object]] = []
    for page in range(PAGES):
        asked = [("q", query), ("repository", repository), ("limit", "50"), ("page", str(page))]
        hits = json.loads(api.get("/v1/search", asked))["results"]
        ranked += [
            {
                "file_path": hit["file_path"],
                "entity_name": hit["entity_name"],
                "line_start": hit["line_start"],
            }
            for hit in hits
            if hit["file_path"] in files
        ]
        if len(ranked) >= RANKED or len(hits) < 50:
            break
    return ranked[:RANKED]


def _scores(benchmark: Path) -> Mapping[str, Mapping[str, float]]:
    """By kind of question, and of `all`."""
    command = [sys.executable, benchmark / "score.py", benchmark / "B-open.jsonl", "--run", RUN]
    scored = subprocess.run(
        [*command, "--level", "entity", "--by", "kind", "--json"], check=True, capture_output=True, text=True
    )
    scores: Mapping[str, Mapping[str, float]] = json.loads(scored.stdout)["entity"]
    return scores
