"""The rules of a robots.txt (RFC 9309) for this program."""

from typing import Final

from protego import Protego

from ingest.errors import FetchError, SourceUnavailableError
from ingest.fetching.agent import USER_AGENT
from ingest.fetching.client import ANY_TYPE, Fetcher
from ingest.fetching.validators import Validators

READ_BYTES: Final = 512_000
"""The part of a file that counts, as the RFC says."""

MAX_DELAY_SECONDS: Final = 10.0
"""Longer delays are cut to this one, so that a crawl comes to an end."""


class Robots:
    """The rules in ``text``."""

    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text)

    def allow(self, address: str) -> bool:
        """Return True if the address may be fetched."""
        return bool(self._rules.can_fetch(address, USER_AGENT))

    @property
    def delay(self) -> float:
        """The seconds between two requests; 0 if not given."""
        return min(float(self._rules.crawl_delay(USER_AGENT) or 0), MAX_DELAY_SECONDS)

    @property
    def sitemaps(self) -> list[str]:
        """The addresses of the sitemaps that it names."""
        return list(self._rules.sitemaps)


def read_robots(fetcher: Fetcher, origin: str, per_second: float | None) -> Robots:
    """Fetch and parse the robots.txt of ``origin``; if there is none, everything is allowed.

    Raises ``SourceUnavailableError`` if it cannot be fetched now, because then nothing may be fetched.
    """
    try:
        fetched = fetcher.get_if_changed(
            f"{origin}/robots.txt",
            Validators(),
            accept=(ANY_TYPE,),
            max_bytes=READ_BYTES,
            cut=True,
            per_second=per_second,
        )
    except SourceUnavailableError as error:
        why = f"its robots.txt cannot be read now, so nothing may be fetched: {error}"
        raise SourceUnavailableError(f"{origin}: {why}", retry_seconds=error.retry_seconds) from error
    except FetchError as error:
        if error.http_status is None and error.code == FetchError.code:
            why = f"its robots.txt cannot be read, so nothing may be fetched: {error}"
            raise SourceUnavailableError(f"{origin}: {why}") from error
        if error.code == "address_blocked":
            raise
        return Robots("")
    return Robots(fetched.body.decode("utf-8-sig", "replace") if fetched else "")
