"""Returns what was typed into a form that was not processed, because the session ended or something failed.

The text comes back after log-in. Until then the browser carries it, in hidden fields of the log-in form, so
that the server stores none of it. It is sent again only by a click, with the rights of the user who is then
logged in. It is taken only from bodies of forms, which only our own pages can send (``require_own_page``),
never from addresses: no link can prepare a form for somebody to send.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Self

from flask import request

from app.api.state import current_services
from app.console.addresses import own_page
from app.feature import Feature

FORM_BYTES: Final = 1_100_000
"""A little more than the longest form of the console, because its fields get longer names."""

MOST_FIELDS: Final = 500
_LABELS: Final = {
    "text": "text",
    "name": "login_name",
    "role": "role",
    "sources": "own_sources",
    "site_name": "log_name",
    "subject": "site_subject",
    "contact": "contact",
    "examples": "log_examples",
}
_PATH: Final = "unsent"
_MARK: Final = "unsent."
"""The prefix of the fields' names in the log-in form, which has a field ``name`` of its own."""

_SECRETS: Final = frozenset({"password", "again", "key"})

_Fields = tuple[tuple[str, str], ...]


def typed_fields() -> _Fields:
    """The fields of the form that the request sent, without secrets."""
    return _kept(request.form.items(multi=True))


def _kept(fields: Iterable[tuple[str, str]]) -> _Fields:
    return tuple(islice((each for each in fields if each[0] not in _SECRETS), MOST_FIELDS))


def labels(features: Iterable[Feature]) -> dict[str, str]:
    """Return the fields that people fill in, with the names of the texts that label them."""
    return dict(chain(_LABELS.items(), *(feature.labels.items() for feature in features)))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentForm:
    """A form of the console that was not processed. ``path``: its target, with the query."""

    path: str
    fields: _Fields

    @classmethod
    def arrived(cls) -> Self | None:
        """The form that was redirected to this request, or None if nothing was typed."""
        request.max_content_length = request.max_form_memory_size = FORM_BYTES
        return cls._typed(request.args.get("to", ""), request.form.items(multi=True))

    @classmethod
    def failed(cls) -> Self | None:
        """The form of this request, which failed, or None if nothing was typed."""
        request.max_content_length = request.max_form_memory_size = FORM_BYTES
        return cls._typed(request.full_path.rstrip("?"), request.form.items(multi=True))

    @classmethod
    def carried(cls) -> Self | None:
        """The form that the log-in form carried, or None."""
        request.max_content_length = request.max_form_memory_size = FORM_BYTES
        marked = (each for each in request.form.items(multi=True) if each[0].startswith(_MARK))
        return cls._typed(
            request.form.get(_PATH, ""), ((name.removeprefix(_MARK), value) for name, value in marked)
        )

    @property
    def hidden(self) -> Iterator[tuple[str, str]]:
        """The fields that carry it in the log-in form."""
        yield _PATH, self.path
        yield from ((f"{_MARK}{name}", value) for name, value in self.fields)

    def typed(self, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield the label and value of each field that was filled in."""
        known = labels(current_services().features)
        for name, value in self.fields:
            if name in known and value.strip():
                yield texts[known[name]], texts.get(f"{name}_{value}", value)

    @classmethod
    def _typed(cls, wanted: str, fields: Iterable[tuple[str, str]]) -> Self | None:
        path = own_page(wanted)
        kept = _kept(fields)
        known = labels(current_services().features)
        is_typed = any(name in known and value.strip() for name, value in kept)
        return cls(path=path, fields=kept) if path and is_typed else None
