"""The root of the project's error tree and the branch that page processing raises.

The whole tree is drawn in :mod:`app.errors`; it starts here because ``ingest`` must not import ``app``.
"""

from datetime import date
from typing import Any, ClassVar, Literal, TypeAlias

Value: TypeAlias = "str | int | float | date | AuskunftError | None"
"""A value for a placeholder in a template. It can be pickled; an error is shown as its message."""

Reason = Literal["damaged", "empty", "invalid", "poison", "timeout", "too_large", "unsupported"]
"""The machine-readable reason why a page can never be indexed as it is, shown as ``failed(reason)``."""


class AuskunftError(Exception):
    """Root of all expected errors. The message is for people: what was wrong and what to do.

    ``template``: the English message with ``str.format`` placeholders for ``values``; it is the key of the
    message's translations. Without values the template is used verbatim and may contain braces.
    ``status`` is the HTTP status, ``exit_code`` the command line's, ``code`` the machine-readable name.
    """

    status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "error"

    def __init__(self, template: str = "", /, **values: Value) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy the error with all attributes, whatever arguments its class takes."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[AuskunftError], args: tuple[Any, ...]) -> AuskunftError:
    return kind.__new__(kind, *args)


class InputError(AuskunftError):
    """The caller's input is wrong; the same call fails again until it is corrected."""

    status = 400
    exit_code = 2
    code = "invalid_input"


class UnknownPluginError(InputError):
    """No plugin is registered under that name; the message lists the registered ones."""

    code = "unknown_plugin"


class PluginError(AuskunftError):
    """A registered plugin cannot be loaded or built: a package, model or option is missing."""

    code = "plugin_failed"


class SourceError(InputError):
    """A source as a whole cannot be read (missing path, no permission)."""

    code = "source_unreadable"


class SourceUnavailableError(AuskunftError):
    """A source cannot be reached now: its pages stay, and it is tried again later.

    ``retry_seconds``: how long its server asks clients to wait.
    """

    status = 503
    code = "source_unavailable"

    def __init__(self, template: str = "", /, *, retry_seconds: float | None = None, **values: Value) -> None:
        super().__init__(template, **values)
        self.retry_seconds = retry_seconds


class FetchError(AuskunftError):
    """An address that gives nothing usable, and a retry would not help; ``reason`` is that of its page.

    ``http_status``: the HTTP status, if that was the problem.
    """

    status = 422
    code = "fetch_failed"

    def __init__(
        self, reason: Reason, template: str, /, *, http_status: int | None = None, **values: Value
    ) -> None:
        super().__init__(template, **values)
        self.reason: Reason = reason
        self.http_status = http_status


class BlockedAddressError(FetchError):
    """An address that must not be fetched; nothing was sent to it."""

    code = "address_blocked"

    def __init__(self, template: str, /, **values: Value) -> None:
        super().__init__("invalid", template, http_status=None, **values)


class GoneError(FetchError):
    """There is nothing at the address (HTTP 404 or 410)."""

    code = "gone"

    def __init__(self, template: str, /, **values: Value) -> None:
        super().__init__("invalid", template, http_status=None, **values)


class RedirectedError(FetchError):
    """An address redirects to ``target``, which was not fetched. ``permanent``: HTTP 301 or 308."""

    code = "redirected"

    def __init__(self, where: str, target: str, permanent: bool) -> None:
        super().__init__("invalid", "{where} redirects to another address", where=where)
        self.target = target
        self.permanent = permanent


class PageError(AuskunftError):
    """One page can never be indexed as it is; ``reason`` is stored with it, other pages are not affected."""

    status = 422
    code = "page_failed"

    def __init__(self, reason: Reason, template: str, /, **values: Value) -> None:
        super().__init__(template, **values)
        self.reason: Reason = reason


class EmbedderUnavailableError(AuskunftError):
    """The embedder cannot answer now; pages wait, questions fall back to keywords."""

    status = 503
    code = "embedder_unavailable"


class RerankerUnavailableError(AuskunftError):
    """The reranker gives no scores now; the hits keep the order of the search.

    ``retry_seconds``: how long its server asks clients to wait.
    """

    status = 503
    code = "reranker_unavailable"

    def __init__(self, template: str = "", /, *, retry_seconds: float | None = None, **values: Value) -> None:
        super().__init__(template, **values)
        self.retry_seconds = retry_seconds


def without_pydantic_prefix(message: str) -> str:
    """Return a pydantic message without the prefix it adds to the ``ValueError`` of a validator."""
    return message.removeprefix("Value error, ")
