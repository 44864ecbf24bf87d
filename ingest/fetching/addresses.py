"""Allows connections to public IP addresses, and to those on an allow-list. Pure functions.

Public is defined by the IANA special-purpose address registries (RFC 6890), not by the standard library's
``is_global``, whose results differ between versions of Python.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Self

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_PRIVATE_USE: Final = tuple(
    map(
        ip_network,
        ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1", "fc00::/7"),
    )
)
"""Networks for private servers: a host that is allowed by name may be here."""

_METADATA: Final = tuple(
    map(
        ip_network,
        (
            "100.100.100.200",  # Alibaba
            "168.63.129.16",  # Azure, in public space
            "169.254.0.23",  # Tencent
            "169.254.42.42",  # Scaleway
            "169.254.169.254",  # AWS, Azure, Google, OpenStack and most others
            "169.254.170.2",  # AWS, credentials of containers
            "169.254.170.23",
            "192.0.0.192",  # Oracle
            "fd00:42::42",  # Scaleway
            "fd00:a9fe:a9fe::/48",  # Akamai
            "fd00:c1::a9fe:a9fe",  # Oracle
            "fd00:ec2::/32",  # AWS
            "fd20:ce::/32",  # Google
            "fe80::a9fe:a9fe",  # OpenStack
        ),
    )
)
"""Addresses of clouds' metadata servers, which give a machine its credentials: no allow-list opens these."""

_SPECIAL_IPV4: Final = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this host
            "169.254.0.0/16",  # link-local
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # 6to4 relays
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
_GLOBAL_IPV6: Final = ip_network("2000::/3")
_SPECIAL_IPV6: Final = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocol assignments, Teredo
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_WEB_PORTS: Final = frozenset({80, 443})
_HOST: Final = re.compile(r"[a-z][a-z0-9.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowList:
    """Permits addresses in addition to public ones: whole ``networks``, and ``hosts`` by name.

    A host allowed by name may be in a private range, but never at a link-local, multicast or reserved
    address. Neither kind of entry opens a cloud's metadata server.
    """

    networks: frozenset[Network] = frozenset()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def parse(cls, entries: Iterable[str]) -> Self:
        """Parse entries such as ``10.1.0.0/16``, ``127.0.0.1``, ``cms.internal``. Raises ``ValueError``."""
        networks, hosts = set(), set()
        for entry in entries:
            text = entry.strip().lower()
            if _is_network(text):
                networks.add(ip_network(text))
            elif _HOST.fullmatch(text):
                hosts.add(text.rstrip("."))
            else:
                shown = "an address" if "//" in entry or "@" in entry else repr(entry)  # it may hold a key
                raise ValueError(f"{shown}: use a network such as 10.1.0.0/16, or a host name")
        return cls(networks=frozenset(networks), hosts=frozenset(hosts))

    def permits(self, host: str, address: Address) -> bool:
        """Return True if a request to ``host`` may connect to ``address``."""
        address = _meant(address)
        if is_metadata(address):
            return False
        if any(address in network for network in self.networks) or _is_public(address):
            return True
        return host.lower().rstrip(".") in self.hosts and any(address in network for network in _PRIVATE_USE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server by its host's name and port; ports 80 and 443 count as one."""

    host: str
    port: int

    def is_at(self, host: str, port: int) -> bool:
        """Return True if this server is the one at ``host`` and ``port``."""
        same_port = self.port == port or {self.port, port} <= _WEB_PORTS
        return same_port and self.host == host.lower().rstrip(".")


def is_metadata(address: Address) -> bool:
    """Return True if ``address`` is that of a cloud's metadata server."""
    address = _meant(address)
    return any(address in network for network in _METADATA)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in (*_PRIVATE_USE, *_SPECIAL_IPV4))
    return address in _GLOBAL_IPV6 and not any(address in network for network in _SPECIAL_IPV6)


def _meant(address: Address) -> Address:
    """Return the IPv4 address behind an IPv4-mapped or NAT64 one; others without their zone."""
    if isinstance(address, IPv4Address):
        return address
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(address.packed[-4:])
    return ip_address(address.packed)


def _is_network(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return False
    return True
