"""What the callers of tools learn where something breaks."""

import pytest
from mcp.server.mcpserver.exceptions import ToolError
from structlog.testing import capture_logs

from app.errors import InputError, PageStoreUnavailableError
from app.features.mcp.boundary import BROKEN, ToolLimits, guarded
from app.settings.sites import SiteSettings

SITE = SiteSettings(key="town")


@pytest.mark.parametrize(
    ("error", "told", "logged"),
    [
        (InputError("the question is empty"), "the question is empty", 0),
        (PageStoreUnavailableError("/srv/data/pages.sqlite cannot be read"), BROKEN, 0),
        (ZeroDivisionError("of /srv/data"), BROKEN, 1),
    ],
)
def test_what_breaks_on_our_side_is_one_line_in_the_log_and_tells_the_caller_nothing(
    error: Exception, told: str, logged: int
) -> None:
    def search() -> None:
        raise error

    with capture_logs() as logs, pytest.raises(ToolError) as caught:
        guarded(search, ToolLimits(SITE))()
    assert str(caught.value) == told
    assert [(line["event"], line["tool"]) for line in logs] == [("mcp_tool_broke", "search")] * logged
