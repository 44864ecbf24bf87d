"""The one error tree, each error with its HTTP status, exit code and machine-readable code.

::

    AuskunftError                      500  exit 1   root; ingest/errors.py
    ├── InputError                     400  exit 2   the caller must change the call
    │   ├── UnknownPluginError                       names the known plugins
    │   ├── UnknownPresetError                       names the known presets
    │   ├── SourceError                              a source as a whole is unreadable
    │   ├── SettingsError                            a setting has a wrong value
    │   ├── QuestionError                            empty or too long
    │   ├── PoolError                                a question pool is malformed
    │   ├── ConflictError          409               another index is being built
    │   ├── BroadCurationError     409               it would change many answers; to be confirmed
    │   ├── UnindexedFieldError    409               the index was built without a field to filter by
    │   ├── NotFoundError          404               nothing has that id
    │   ├── ForbiddenError         403               a source that takes no events
    │   ├── SignatureError         401               a message's signature or token does not fit
    │   ├── TokenError             401               the administrator's token is missing or wrong
    │   ├── LoginError             401               a password, link or session that does not hold
    │   ├── FieldError                               a field of a document has a wrong value
    │   ├── EventsError            422               events of a CMS are wrong; ``fields`` says where
    │   └── FloodError             429               too many requests; ``seconds`` says when to go on
    ├── PluginError                                  a plugin cannot be loaded or built
    ├── SourceUnavailableError         503           a source cannot be reached now; asked again later
    │   └── NotThereYetError                         a page is announced, its address answers 404
    ├── FetchError                     422           an address gives nothing usable; ``reason`` says why
    │   ├── BlockedAddressError                      nothing is fetched there
    │   ├── GoneError                                nothing is there any more
    │   └── RedirectedError                          leads elsewhere, which is not fetched
    ├── PageError                      422           one page can never be indexed as it is
    ├── NeedsAttentionError                          stopped before harm is done; a person must look
    │   ├── EmptyIndexError                    exit 2    nothing would be served any more
    │   └── HaltedError                              a source looks broken; ``reasons`` say how
    ├── DataFolderError                503           data of a newer version, moved away, not to be opened
    ├── EmbedderUnavailableError       503           keyword search goes on
    ├── RerankerUnavailableError       503           what was found keeps its order
    ├── IndexUnavailableError          503           nothing can be searched
    │   ├── ForeignIndexError                        it holds another installation's pages
    │   │   └── LostPageStoreError                       and the page store here is empty
    │   ├── IndexDamagedError                        a generation is lost, waiting does not help
    │   └── GenerationChangedError                   another generation went live meanwhile
    ├── PageStoreUnavailableError      503           nothing can be accepted or checked
    │   └── UnwritableError                          disk full or read-only; reading goes on
    ├── BrokerUnavailableError         503           pages are accepted and wait
    ├── BacklogError                   503           pages wait longer than they should
    ├── SendingError                                 events did not get through; repeat them
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
    complaint,
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
    """A setting is unknown or has a wrong value; the message names it and what it may be."""

    code = "invalid_settings"


class QuestionError(InputError):
    """The question is empty or too long."""

    code = "invalid_question"


class PoolError(InputError):
    """A question pool cannot be read; the message names file and line."""

    code = "invalid_pool"


class ConflictError(InputError):
    """What was asked for cannot begin while the like of it is going on; the message says since when."""

    status = 409
    code = "conflict"


class BroadCurationError(InputError):
    """What an editor decided would hold for a large share of all questions; the message says for how many."""

    status = 409
    code = "broad_curation"


class UnindexedFieldError(InputError):
    """The live generation was built before a field to filter by was declared."""

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
    """It exists, but does not take what was sent."""

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
    """A password, a one-time link or a session does not hold."""

    status = 401
    code = "login"


class FieldError(InputError):
    """A field of a document has a value that pydantic refuses.

    The template is the field, with ``*`` for any index, and pydantic's type of the error, such as ``words.*:
    too_long``; for a ``ValueError`` of ours its text. The values are pydantic's ``ctx``.
    """

    def __init__(self, details: ErrorDetails) -> None:
        place, problem, values = details["loc"], details["type"], details.get("ctx", {})
        message = complaint(details["msg"]).lower()
        if problem == "too_long" and isinstance(details["input"], str):  # pydantic speaks of items
            message = f"give at most {values['max_length']} characters"
        super().__init__(f"{'.'.join(map(str, place))}: {message}")
        if problem == "value_error":
            problem, values = str(values["error"]), {}
        field = ".".join("*" if isinstance(step, int) else step for step in place)
        self.template, self.values = f"{field}: {problem}", values


class EventsError(InputError):
    """Events are not what they should be; ``fields``: place -> what is wrong there."""

    status = 422
    code = "invalid_events"

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{place}: {message}" for place, message in fields.items()))
        self.fields = fields


class FloodError(InputError):
    """Too many requests came; nothing of this one was done. ``seconds``: when to send it again."""

    status = 429
    code = "too_many_requests"

    def __init__(self, seconds: float) -> None:
        self.seconds = max(1, math.ceil(seconds))
        super().__init__("too much at once: send this again in {seconds} s", seconds=self.seconds)


class NeedsAttentionError(AuskunftError):
    """Going on would do harm that nobody asked for; nothing was changed, and the message says what to do."""

    code = "needs_attention"


class EmptyIndexError(NeedsAttentionError):
    """A generation without a page would take the place of one that serves pages."""

    exit_code = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class HaltReason:
    """A reason for which a pull is halted. ``count`` of ``pages`` pages are as ``code`` says; ``text``: what
    they have, or the address that the website moved to."""

    code: HaltCode
    count: int = 0
    pages: int = 0
    text: str = ""


class HaltedError(NeedsAttentionError):
    """A pull was halted for ``reasons`` before it wrote what looks broken."""

    def __init__(self, message: str, reasons: Sequence[HaltReason]) -> None:
        super().__init__(message)
        self.reasons = reasons


class NotThereYetError(SourceUnavailableError):
    """A page was announced a short while ago, and its CMS does not have it: it may not have committed yet."""

    code = "not_there_yet"


class DataFolderError(AuskunftError):
    """The data folder cannot be used: data of a newer version, not to be opened, moved away."""

    status = 503
    code = "data_folder"


class IndexUnavailableError(AuskunftError):
    """The search index cannot be read or written now."""

    status = 503
    code = "index_unavailable"


class ForeignIndexError(IndexUnavailableError):
    """The live generation holds the pages of another page store."""

    text: ClassVar[str] = (
        "generation {number} belongs to another installation: set another AUSKUNFT_ELASTICSEARCH_PREFIX or "
        "AUSKUNFT_DATA; `auskunft reindex --take-over` makes the index this one's"
    )

    def __init__(self, number: int) -> None:
        super().__init__(self.text, number=number)


class LostPageStoreError(ForeignIndexError):
    """The live generation holds the pages of another page store, and this one has none: it may be new in the
    place of one that was lost."""

    text = (
        "the page store is empty, but generation {number} of the index holds the pages of another one: "
        "restore the page store from its backup; where this installation is new, set another "
        "AUSKUNFT_ELASTICSEARCH_PREFIX or AUSKUNFT_DATA"
    )


class IndexDamagedError(IndexUnavailableError):
    """What a generation is stored in is missing, damaged or closed: it does not come back by itself."""


class GenerationChangedError(IndexUnavailableError):
    """The question was prepared for a generation that is not live any more: prepare it again."""

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
    """Nothing can be written: the disk is full, read-only or broken. What is there can be read."""


class BrokerUnavailableError(AuskunftError):
    """Workers cannot be woken or seen now; what was accepted waits in the page store."""

    status = 503
    code = "broker_unavailable"


class BacklogError(AuskunftError):
    """What was accepted waits longer than it should; the message says what helps."""

    status = 503
    code = "backlog"


class SendingError(AuskunftError):
    """A message did not get through, or nobody knows: repeat it with the same id."""

    code = "sending_failed"


class ModelError(AuskunftError):
    """The language model did not deliver; ``kind`` says how it failed. ``answered``: the HTTP status of an
    endpoint that refused, else 0."""

    status = 503
    code = "model_unavailable"

    def __init__(self, kind: ModelFailure, template: str, /, *, answered: int = 0, **values: Value) -> None:
        super().__init__(template, **values)
        self.kind: ModelFailure = kind
        self.answered = answered
