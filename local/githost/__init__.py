"""Repositories on disk -> a git host like GitHub, for the local stack, and for tests to break.

request ─> faults ─> api ─> sources ─> git       (heads, trees, blobs)
                      └302─> codeload ─> git     (archives, from another origin)
push ─> payloads ─> deliveries ─> webhook
"""

from local.githost.deliveries import Delivery
from local.githost.host import GitHost
from local.githost.sources import Source

__all__ = ["Delivery", "GitHost", "Source"]
