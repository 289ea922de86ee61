"""A running stack -> profile.json, where commands of another process find it."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict

from local.memory import write_private

FILE_NAME = "profile.json"


class Profile(BaseModel):
    """Where everything of one running stack is.

    Attributes:
        url: the API's base URL.
        api_key: a key for it, once one was made.
        githost_url: the local git host.
        githost_token: opens its routes under /_local.
        aws_url: the AWS stand-in, for boto3's `endpoint_url`; any credentials do.
        lambda_url: the same for the client "lambda".
        outputs: the template's outputs: names of the table, the bucket and functions, URLs of queues.
    """

    model_config = ConfigDict(frozen=True)

    url: str
    api_key: str | None
    githost_url: str
    githost_token: str
    aws_url: str
    lambda_url: str
    region: str
    outputs: dict[str, str]

    @classmethod
    def read(cls, data: Path) -> Self:
        """The profile of the stack that runs on a data folder.

        Raises:
            FileNotFoundError: none does.
        """
        return cls.model_validate_json((data / FILE_NAME).read_text())

    def write(self, data: Path) -> None:
        write_private(data / FILE_NAME, self.model_dump_json(indent=2))
