"""Addresses in settings: checks, forms that may be shown, and the secrets in them.

People put keys wherever there is room: into user, password, query or path. So an address is shown without
user, password and the query's values, and without parts of the path that look like keys.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote, urlsplit

from ingest.options import is_secret

DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_MASK: Final = "***"
_USER: Final = re.compile(r"//(?P<user>.*)@(?P<rest>.*)", re.DOTALL)
"""Up to the last @, because a password may contain any character."""
_NEXT: Final = re.compile(r",(?=\s*[A-Za-z][A-Za-z+]{1,15}://)")
"""The comma before another address; a key with digits before :// is not one."""
_REST: Final = re.compile(r"//(?P<path>[^?#]*)(?P<mark>\??)(?P<query>.*)", re.DOTALL)
_NO_PORT: Final = re.compile(r"(?P<host>\[[^]]*\]|[^:[]*):(?P<port>(?!\d{0,5}$).*)")
"""A host with something other than a port: the beginning of a password if an @ was forgotten."""
_NAME: Final = re.compile(r"[\w.-]{1,32}")
_TEMPLATE: Final = re.compile(r"\{\w+\}")
_KEY: Final = re.compile(r"(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w.~+=%-]{16,}", re.ASCII)
"""A part of a path that looks like a key: long, with letters and digits."""

_HOST: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:]{2,39}\]")


def origin_of(url: str) -> str:
    """Return an address's origin as browsers send it (RFC 6454). Raises ``ValueError`` if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        wrong = "the port is not a number up to 65535, or a bracket is missing"
        raise ValueError(f"{shown(url)!r}: {wrong}") from error
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    if parts.scheme not in DEFAULT_PORTS or not _HOST.fullmatch(host) or "@" in url:
        raise ValueError(f"{shown(url)!r} is not an origin: use https://www.town.example")
    return f"{parts.scheme}://{host}" + ("" if port in (None, DEFAULT_PORTS[parts.scheme]) else f":{port}")


def shown(text: str) -> str:
    """Return ``text`` without possible secrets in its addresses, even malformed ones."""
    addresses = _NEXT.split(_USER.sub(_shown_user, text))
    return ",".join(_REST.sub(_shown_rest, address) for address in addresses)


def secrets_in(address: str) -> Iterator[str]:
    """Yield the secrets in an address: its password, its keys in the query or path."""
    _, _, rest = address.partition("//")
    user, _, rest = rest.rpartition("@")
    password = user.partition(":")[2]
    yield from filter(None, (password, unquote(password)))
    path, _, query = rest.partition("?")
    host, *parts = path.split("/")
    yield from (part for part in parts if _KEY.fullmatch(part))
    if wrong := _NO_PORT.fullmatch(host):
        yield wrong["port"]
    for name, _, value in (each.partition("=") for each in query.split("&")):
        yield from (value, unquote(value)) if is_secret(name) and value else _KEY.findall(value or name)


def check_endpoint(base_url: str) -> None:
    """Raise ``ValueError`` if the address of a language model contains a secret, or names no host."""
    if "@" in base_url or "?" in base_url:
        raise ValueError("base_url contains a name, password or key: put the key into api_key")
    if base_url:
        check_server("base_url", base_url, "http://127.0.0.1:11434/v1")


def check_server(name: str, address: str, example: str) -> None:
    """Raise ``ValueError`` unless the address of the setting ``name`` has a host, and a number for a port, if
    any. The error does not repeat the address."""
    try:
        parts = urlsplit(address)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ValueError(
            f"{name} has no host, or its port is not a number: use {example}; in a password write "
            "/ as %2F, ? as %3F, # as %23, @ as %40"
        )


def _shown_user(found: re.Match[str]) -> str:
    if any(mark in found["user"] for mark in "/?#"):  # the end of the user part is unclear
        return f"//{_MASK}"
    return f"//{_MASK}@{found['rest']}"


def _shown_rest(found: re.Match[str]) -> str:
    host, *parts = found["path"].split("/")
    if wrong := _NO_PORT.fullmatch(host):
        host = f"{wrong['host']}:{_MASK}"
    path = "/".join([host, *(_KEY.sub(_MASK, part) for part in parts)])
    values = "&".join(map(_shown_value, found["query"].split("&"))) if found["query"] else ""
    return f"//{path}{found['mark']}{values}"


def _shown_value(part: str) -> str:
    name, equals, value = part.partition("=")
    if not equals or not _NAME.fullmatch(name):
        return _MASK
    return part if _TEMPLATE.fullmatch(value) else f"{name}={_MASK}"
