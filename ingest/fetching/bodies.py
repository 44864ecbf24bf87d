"""Reads a reply's body, limited in size both packed and unpacked."""

import zlib
from collections.abc import Iterable
from typing import Final

from ingest.errors import FetchError

ACCEPTED_ENCODING: Final = "gzip"
_GZIP: Final = zlib.MAX_WBITS | 16


def read(chunks: Iterable[bytes], encoding: str, where: str, max_bytes: int, *, cut: bool = False) -> bytes:
    """Return the unpacked body; ``where`` begins every message.

    Raises ``FetchError`` if the body is larger than ``max_bytes`` (with ``cut`` it is cut there instead),
    packed in a way that was not asked for, damaged or incomplete.
    """
    if encoding in ("", "identity"):
        return _joined(chunks, where, max_bytes, cut=cut)
    if encoding not in ("gzip", "x-gzip"):
        raise FetchError(
            "unsupported",
            "{where} sent its reply compressed with {encoding!r}: only gzip is supported",
            where=where,
            encoding=encoding[:40],
        )
    return unpacked(_joined(chunks, where, max_bytes, cut=cut), where, max_bytes, cut=cut)


def unpacked(packed: bytes, where: str, max_bytes: int, *, cut: bool = False) -> bytes:
    """Unpack gzip to at most ``max_bytes``. Raises ``FetchError`` as :func:`read` does."""
    unpacker = zlib.decompressobj(_GZIP)
    try:
        body = unpacker.decompress(packed, max_bytes + 1)
    except zlib.error as error:
        raise FetchError(
            "invalid", "{where} sent damaged gzip data: {error}", where=where, error=str(error)
        ) from error
    if cut:
        return body[:max_bytes]
    if len(body) > max_bytes:
        raise too_large(where, max_bytes)
    if not unpacker.eof:
        raise FetchError("invalid", "{where} sent incomplete gzip data", where=where)
    return body


def too_large(where: str, max_bytes: int) -> FetchError:
    """Return the error for a body of more than ``max_bytes``."""
    return FetchError(
        "too_large",
        "{where} sent more than the {count:,} bytes allowed",
        where=where,
        count=max_bytes,
    )


def _joined(chunks: Iterable[bytes], where: str, max_bytes: int, *, cut: bool) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) > max_bytes:
            if cut:
                return bytes(body[:max_bytes])
            raise too_large(where, max_bytes)
    return bytes(body)
