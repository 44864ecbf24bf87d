"""The outermost boundary of the tools: errors become a sentence for the caller and a line in the log."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import structlog
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from mcp.server.mcpserver.exceptions import ToolError

from app.errors import AuskunftError, FloodError
from app.settings.sites import SITE_FACTOR, SiteSettings

WINDOW_SECONDS: Final = 60
FACTORS: Final = {"ask": 1, "search": 3, "get_page": 6}
"""The calls allowed of each tool, as a multiple of a site's questions."""

BROKEN: Final = "this does not work at the moment: try again later"

P = ParamSpec("P")
R = TypeVar("R")
log = structlog.get_logger(__name__)


class ToolLimits:
    """Limits the calls of a site's tools per minute, by all clients of this server together.

    The limit of ``ask`` is that of all visitors of a website together.
    """

    def __init__(self, site: SiteSettings) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        most = SITE_FACTOR * site.questions_per_minute
        self._limits: dict[str, RateLimitItem] = {
            tool: RateLimitItemPerMinute(factor * most) for tool, factor in FACTORS.items()
        }

    def check(self, tool: str) -> None:
        """Count a call. Raises ``FloodError``."""
        if not self._limiter.hit(self._limits[tool], tool):
            raise FloodError(WINDOW_SECONDS / 2)


def guarded(tool: Callable[P, R], limits: ToolLimits) -> Callable[P, R]:
    """Return a tool whose calls are counted and whose errors are all ``ToolError``.

    For errors of the server, the caller gets only a general message; unexpected ones are logged.
    """
    name = tool.__name__

    @wraps(tool)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            limits.check(name)
            return tool(*args, **kwargs)
        except ToolError:
            raise
        except AuskunftError as error:
            raise ToolError(str(error) if error.status < 500 else BROKEN) from error
        except Exception as error:
            log.error("mcp_tool_broke", tool=name, message=f"{type(error).__name__}: {error}")
            raise ToolError(BROKEN) from error

    return called
