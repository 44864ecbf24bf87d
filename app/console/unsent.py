"""A form that was not acted upon, as its session had ended or something failed: what was typed comes back.

Whoever logs in gets it. Until then the browser carries it, in hidden fields of the log-in form, so that the
server keeps nothing of it. It is sent again by a click alone, with the rights of whoever is logged in then.
It is taken from bodies of forms, which only our own pages can send (``require_own_page``), never from
addresses: no link prepares a form for somebody to send.
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
"""A little more than the longest form of the console, as the fields get longer names."""

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
"""Before the fields' names in the log-in form, which has a field ``name`` of its own."""

_SECRETS: Final = frozenset({"password", "again", "key"})

_Fields = tuple[tuple[str, str], ...]


def typed_fields() -> _Fields:
    """The fields of the form that the request sent, without secrets."""
    return _kept(request.form.items(multi=True))


def _kept(fields: Iterable[tuple[str, str]]) -> _Fields:
    return tuple(islice((each for each in fields if each[0] not in _SECRETS), MOST_FIELDS))


def labels(features: Iterable[Feature]) -> dict[str, str]:
    """The fields that people fill in, with the names of the texts that say so."""
    return dict(chain(_LABELS.items(), *(feature.labels.items() for feature in features)))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsentForm:
    """A form of the console that was not acted upon. ``path``: where it was to go, with the query."""

    path: str
    fields: _Fields

    @classmethod
    def arrived(cls) -> Self | None:
        """The form that the request was redirected with; ``None`` if nobody typed anything."""
        request.max_content_length = request.max_form_memory_size = FORM_BYTES
        return cls._typed(request.args.get("to", ""), request.form.items(multi=True))

    @classmethod
    def failed(cls) -> Self | None:
        """The form of the request itself, which failed."""
        request.max_content_length = request.max_form_memory_size = FORM_BYTES
        return cls._typed(request.full_path.rstrip("?"), request.form.items(multi=True))

    @classmethod
    def carried(cls) -> Self | None:
        """The form that came with the log-in form, if one did."""
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
        """What people filled in, each with its label."""
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
