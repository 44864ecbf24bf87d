"""The one error tree, each error with its HTTP status, exit code and machine-readable code.

::

    AuskunftError                      500  exit 1   root; ingest/errors.py
    ├── InputError                     400  exit 2   the caller must change the call
    │   ├── UnknownPluginError                       names the known plugins
    │   ├── UnknownPresetError                       names the known presets
    │   ├── SourceError                              a source as a whole is unreadable
    │   ├── SettingsError                            a setting has a wrong value
    │   ├── QuestionError                            empty or too long
    │   ├── PoolError                                a question pool cannot be used
    │   ├── ConflictError          409               the like is under way, or the state has changed
    │   ├── BroadCurationError     409               it would change many answers: confirm it
    │   ├── UnindexedFieldError    409               the index was built without a field to filter by
    │   ├── NotFoundError          404               nothing has that id
    │   ├── ForbiddenError         403               the caller or the target does not permit it
    │   ├── SignatureError         401               a message's signature or token is wrong
    │   ├── TokenError             401               the administrator's token is missing or wrong
    │   ├── LoginError             401               a wrong or expired password, link or session
    │   ├── FieldError                               a field of a document has a wrong value
    │   ├── EventsError            422               events of a CMS are wrong; ``fields`` says where
    │   └── FloodError             429               too many requests; retry after ``seconds``
    ├── PluginError                                  a plugin cannot be loaded or built
    ├── SourceUnavailableError         503           a source cannot be reached now; retried later
    │   └── NotThereYetError                         a page was announced, but its address returns 404
    ├── FetchError                     422           an address returns nothing usable; see ``reason``
    │   ├── BlockedAddressError                      an address that must not be fetched
    │   ├── GoneError                                nothing is there any more
    │   └── RedirectedError                          it redirects elsewhere; not followed
    ├── PageError                      422           one page can never be indexed as it is
    ├── NeedsAttentionError                          stopped before harm is done; a person must look
    │   ├── EmptyIndexError                    exit 2    nothing would be served any more
    │   └── HaltedError                              a source looks broken; ``reasons`` say how
    ├── DataFolderError                503           of a newer version, moved away, or not accessible
    ├── EmbedderUnavailableError       503           keyword search still works
    ├── RerankerUnavailableError       503           hits keep their order
    ├── IndexUnavailableError          503           nothing can be searched
    │   ├── ForeignIndexError                        it contains another installation's pages
    │   │   └── LostPageStoreError                       and the page store here is empty
    │   ├── IndexDamagedError                        data is lost; waiting does not help
    │   └── GenerationChangedError                   another generation went live meanwhile
    ├── PageStoreUnavailableError      503           nothing can be accepted or checked
    │   └── UnwritableError                          disk full or read-only; reading still works
    ├── BrokerUnavailableError         503           pages are accepted and wait
    ├── BacklogError                   503           pages wait longer than they should
    ├── SendingError                                 events were perhaps not received; repeat them
    └── ModelError                     503           the language model failed; ``kind`` says how
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from pydantic_core import ErrorDetails

from ingest.errors import (
    AuskunftError,
    BlockedAddressError,
    EmbedderUnavailableError,
    FetchError,
    GoneError,
    InputError,
    PageError,
    PluginError,
    RedirectedError,
    RerankerUnavailableError,
    SourceError,
    SourceUnavailableError,
    UnknownPluginError,
    Value,
    without_pydantic_prefix,
)

__all__ = [
    "AuskunftError",
    "BacklogError",
    "BlockedAddressError",
    "BroadCurationError",
    "BrokerUnavailableError",
    "ConflictError",
    "DataFolderError",
    "EmbedderUnavailableError",
    "EmptyIndexError",
    "EventsError",
    "FetchError",
    "FieldError",
    "FloodError",
    "ForbiddenError",
    "ForeignIndexError",
    "GenerationChangedError",
    "GoneError",
    "HaltCode",
    "HaltReason",
    "HaltedError",
    "IndexDamagedError",
    "IndexUnavailableError",
    "InputError",
    "LoginError",
    "LostPageStoreError",
    "ModelError",
    "ModelFailure",
    "NeedsAttentionError",
    "NotFoundError",
    "NotThereYetError",
    "PageError",
    "PageStoreUnavailableError",
    "PluginError",
    "PoolError",
    "QuestionError",
    "RedirectedError",
    "RerankerUnavailableError",
    "SendingError",
    "SettingsError",
    "SignatureError",
    "SourceError",
    "SourceUnavailableError",
    "TokenError",
    "UnindexedFieldError",
    "UnknownPluginError",
    "UnknownPresetError",
    "UnwritableError",
]

ModelFailure = Literal[
    "unreachable", "timeout", "rate_limited", "refused", "interrupted", "garbage", "cancelled"
]


HaltCode = Literal["lost", "gone", "foreign", "unreadable", "repeated", "moved", "missing"]


class UnknownPresetError(InputError):
    """No preset has that name; the message lists the known ones."""

    code = "unknown_preset"


class SettingsError(InputError):
    """A setting is unknown or has a wrong value; the message names it and the allowed values."""

    code = "invalid_settings"


class QuestionError(InputError):
    """The question is empty or too long."""

    code = "invalid_question"


class PoolError(InputError):
    """A question pool is malformed or does not fit its use; the message says where or why."""

    code = "invalid_pool"


class ConflictError(InputError):
    """The request conflicts with the present state: such work is under way, an entry has changed, a name is
    taken. The message says which."""

    status = 409
    code = "conflict"


class BroadCurationError(InputError):
    """An editor's decision would apply to a large share of all questions; the message says how many."""

    status = 409
    code = "broad_curation"


class UnindexedFieldError(InputError):
    """The filter's field was declared after the live generation was built."""

    status = 409
    code = "unindexed_field"

    def __init__(self, field: str) -> None:
        super().__init__(
            "the index was built without field {field!r}: `auskunft reindex` adds it", field=field
        )


class NotFoundError(InputError):
    """Nothing has that id."""

    status = 404
    code = "not_found"


class ForbiddenError(InputError):
    """The caller may not do that, or the target does not accept it."""

    status = 403
    code = "forbidden"


class SignatureError(InputError):
    """A message is not signed, signed wrongly or too old; or a token is wrong."""

    status = 401
    code = "invalid_signature"


class TokenError(InputError):
    """The administrator's token is missing or wrong."""

    status = 401
    code = "invalid_token"

    def __init__(self) -> None:
        super().__init__("send 'Authorization: Bearer TOKEN' with the value of AUSKUNFT_ADMIN_TOKEN")


class LoginError(InputError):
    """A password, a one-time link or a session is wrong, used or expired."""

    status = 401
    code = "login"


class FieldError(InputError):
    """A field of a document has a value that pydantic refuses.

    The template is the field, with ``*`` for any index, and pydantic's error type, such as ``words.*:
    too_long``, or the text of a ``ValueError`` of ours. The values are pydantic's ``ctx``.
    """

    def __init__(self, details: ErrorDetails) -> None:
        place, problem, values = details["loc"], details["type"], details.get("ctx", {})
        message = without_pydantic_prefix(details["msg"]).lower()
        if problem == "too_long" and isinstance(details["input"], str):  # pydantic speaks of items
            message = f"use at most {values['max_length']} characters"
        super().__init__(f"{'.'.join(map(str, place))}: {message}")
        if problem == "value_error":
            problem, values = str(values["error"]), {}
        field = ".".join("*" if isinstance(step, int) else step for step in place)
        self.template, self.values = f"{field}: {problem}", values


class EventsError(InputError):
    """Events of a CMS are invalid. ``fields``: place -> what is wrong there."""

    status = 422
    code = "invalid_events"

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{place}: {message}" for place, message in fields.items()))
        self.fields = fields


class FloodError(InputError):
    """Too many requests came, and this one was not processed. ``seconds``: when to send it again."""

    status = 429
    code = "too_many_requests"

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__("too many requests: try again in {seconds} s", seconds=self.seconds)


class NeedsAttentionError(AuskunftError):
    """Continuing would do harm that nobody asked for. Nothing was changed; the message says what to do."""

    code = "needs_attention"


class EmptyIndexError(NeedsAttentionError):
    """A generation without pages would replace one that serves pages."""

    exit_code = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltReason:
    """A reason to halt a pull: ``code`` applies to ``count`` of ``pages`` pages. ``text``: the text that they
    share, or the address that the website moved to."""

    code: HaltCode
    count: int = 0
    pages: int = 0
    text: str = ""


class HaltedError(NeedsAttentionError):
    """A pull was halted for ``reasons``, before it stored what looks broken."""

    def __init__(self, message: str, reasons: Sequence[HaltReason]) -> None:
        super().__init__(message)
        self.reasons = reasons


class NotThereYetError(SourceUnavailableError):
    """A page was announced shortly before, but its CMS does not serve it: it may not have committed yet."""

    code = "not_there_yet"


class DataFolderError(AuskunftError):
    """The data folder cannot be used: it is of a newer version, was moved away, is full or not accessible."""

    status = 503
    code = "data_folder"


class IndexUnavailableError(AuskunftError):
    """The search index cannot be read or written now."""

    status = 503
    code = "index_unavailable"


class ForeignIndexError(IndexUnavailableError):
    """The live generation contains the pages of another page store."""

    text: ClassVar[str] = (
        "generation {number} belongs to another installation: set another AUSKUNFT_ELASTICSEARCH_PREFIX or "
        "AUSKUNFT_DATA; `auskunft reindex --take-over` takes over the index"
    )

    def __init__(self, number: int) -> None:
        super().__init__(self.text, number=number)


class LostPageStoreError(ForeignIndexError):
    """The live generation contains the pages of another page store, and this store is empty: it may have
    replaced one that was lost."""

    text = (
        "the page store is empty, but generation {number} of the index contains the pages of another one: "
        "restore the page store from its backup; if this installation is new, set another "
        "AUSKUNFT_ELASTICSEARCH_PREFIX or AUSKUNFT_DATA"
    )


class IndexDamagedError(IndexUnavailableError):
    """A generation's storage is missing, damaged or closed, and does not recover by itself."""


class GenerationChangedError(IndexUnavailableError):
    """The question was prepared for a generation that is no longer live: prepare it again."""

    def __init__(self, expected: int | None, live: int | None) -> None:
        super().__init__(
            "generation {live} replaced generation {expected} meanwhile: ask again",
            live=live,
            expected=expected,
        )


class PageStoreUnavailableError(AuskunftError):
    """The page store cannot be read or written now."""

    status = 503
    code = "page_store_unavailable"


class UnwritableError(PageStoreUnavailableError):
    """Nothing can be written, because the disk is full, read-only or broken. Reading still works."""


class BrokerUnavailableError(AuskunftError):
    """Workers cannot be woken or seen now; accepted pages wait in the page store."""

    status = 503
    code = "broker_unavailable"


class BacklogError(AuskunftError):
    """Accepted pages wait longer than they should; the message says what helps."""

    status = 503
    code = "backlog"


class SendingError(AuskunftError):
    """A message was not received, or may not have been: repeat it with the same id."""

    code = "sending_failed"


class ModelError(AuskunftError):
    """The language model failed in the way that ``kind`` names. ``http_status``: that of an endpoint that
    refused, else 0."""

    status = 503
    code = "model_unavailable"

    def __init__(
        self, kind: ModelFailure, template: str, /, *, http_status: int = 0, **values: Value
    ) -> None:
        super().__init__(template, **values)
        self.kind: ModelFailure = kind
        self.http_status = http_status
