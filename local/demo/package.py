"""A source archive of a package index -> a git repository, and the second commit of the tour."""

import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from local.cli.errors import CommandError

NAME = "pallets/flask"
WEB_URL = "https://github.com/pallets/flask"

CHANGED = "src/flask/sessions.py"
RENAMED, RENAMED_TO = "src/flask/logging.py", "src/flask/log_setup.py"
DELETED = "src/flask/templating.py"
_OLD, _NEW = "        if not val:\n", "        if not val or is_oversized_cookie(val):\n"

_IDENTITY = ("-c", "user.name=CodeSage demo", "-c", "user.email=demo@codesage.invalid")


@dataclass(frozen=True, slots=True)
class Package:
    """A checkout whose branch `main` holds the released source."""

    folder: Path

    @classmethod
    def unpacked(cls, sdist: Path, folder: Path) -> Self:
        """Unpack `sdist` under `folder` and commit what is in it.

        Raises:
            CommandError: there is no such archive, or git failed.
        """
        try:
            with tarfile.open(sdist) as archive:
                archive.extractall(folder, filter="data")
        except (OSError, tarfile.TarError) as error:
            raise CommandError(f"{sdist} cannot be unpacked: {error}") from error
        package = cls(folder / sdist.name.removesuffix(".tar.gz"))
        package._git("init", "--quiet", "--initial-branch=main")
        package._commit("flask 3.0.3, as released")
        return package

    def change(self) -> None:
        """Commit a changed line, a renamed file and a deleted one.

        Raises:
            CommandError: the package is not the version that this was written for.
        """
        source = self.folder / CHANGED
        text = source.read_text()
        if text.count(_OLD) != 1:
            raise CommandError(f"{CHANGED} is not that of flask 3.0.3")
        source.write_text(text.replace(_OLD, _NEW))  # in place: no line moves, so no other entity changes
        self._git("mv", RENAMED, RENAMED_TO)
        self._git("rm", "--quiet", DELETED)
        self._commit("Refuse oversized cookies; tidy up")

    def files(self) -> int:
        return len(self._git("ls-files").splitlines())

    def _commit(self, message: str) -> None:
        self._git("add", "--all", "--force")  # released files that its .gitignore names are content too
        self._git(*_IDENTITY, "commit", "--quiet", "--no-gpg-sign", "--no-verify", "--message", message)

    def _git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CommandError(f"git {arguments[0]} failed: {done.stderr}")
        return done.stdout
