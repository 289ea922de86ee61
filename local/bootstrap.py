"""A handler's name -> that handler serving events, in a process whose memory has the function's limit.

Runs as `python -m local.bootstrap app.lambda_handler` in the function's folder, never in the stack itself.
"""

import os
import resource
import sys

from awslambdaric.__main__ import main

# The limit is on addresses, of which an interpreter with threads reserves more than it ever touches.
_RESERVED = 512 << 20


def _limit_memory(megabytes: int) -> None:
    if sys.platform == "linux":  # macOS knows the limit and refuses to set it
        limit = (megabytes << 20) + _RESERVED
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    _limit_memory(int(os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]))
    main(sys.argv)
