"""Addresses that must not be fetched: a listener on this machine sees no connection, whatever is tried."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import ip_address
from itertools import product
from typing import Final

import pytest

from ingest.errors import AuskunftError, BlockedAddressError, SourceUnavailableError
from ingest.fetching.addresses import AllowList
from ingest.fetching.connections import system_resolver
from tests.fakes.scripted_server import ScriptedServer, redirect, reply
from tests.ingest.fetching.conftest import JSON, Names, fetcher

LOOPBACK_HOSTS = [
    "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "127.127.127.127", "127.0.0.255",
    "2130706433", "017700000001", "0x7f000001", "0x7F000001", "0x7f.0x0.0x0.0x1", "0x7f.1", "0177.0.0.1",
    "0177.0.0.01", "00000177.0.0.1", "0177.1", "127.0x1", "127.0.0x1", "0x7f.0.01", "0",
    "0.0.0.0", "0.0.0.1", "00", "0x0", "0.0", "localhost", "localhost.", "LOCALHOST", "LocalHost.",
    "[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[0000::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]", "[::FFFF:127.0.0.1]", "[::ffff:0:127.0.0.1]", "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[2001:0:7f00:1::]", "[2001::80ff:fffe]", "[fe80::1]", "[fe80::1%25lo]", "[fe80::5efe:127.0.0.1]",
    "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "１２７.0.0.1", "①②⑦.⓪.⓪.①",
    "loc\u00adalhost", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "localhost。", "%31%32%37.0.0.1", "%6cocalhost",
]  # fmt: skip

PRIVATE_HOSTS = [
    "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.1.1:22",
    "100.64.0.1", "100.100.100.200", "100.127.255.255", "169.254.169.254", "169.254.170.2", "169.254.0.1",
    "168.63.129.16", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376", "169.254.43518", "012.1.2.3",
    "[::ffff:169.254.169.254]", "[::ffff:10.0.0.1]", "[64:ff9b::169.254.169.254]", "[64:ff9b::10.0.0.1]",
    "[2002:a9fe:a9fe::1]", "[2002:0a00:1::]", "[fd00:ec2::254]", "[fc00::1]", "[fdff::1]", "[fec0::1]",
    "[ff02::1]", "[100::1]", "[2001:db8::1]", "[2001:10::1]", "[2001:20::1]", "[3fff::1]", "[5f00::1]",
    "[febf::1]", "[4000::1]", "[::a9fe:a9fe]",
]  # fmt: skip

TRICKS = [
    "file:///etc/passwd", "FILE:///etc/passwd", "file://127.0.0.1/etc/passwd", "gopher://127.0.0.1:{port}/_x",
    "ftp://127.0.0.1:{port}/", "dict://127.0.0.1:{port}/info", "ldap://127.0.0.1:{port}/", "ws://127.0.0.1:{port}/",
    "jar:http://127.0.0.1:{port}/!/", "data:application/json,{{}}", "javascript:alert(1)", "unix:///run/x.sock",
    "http+unix://%2Frun%2Fx.sock/", "view-source:http://127.0.0.1:{port}/", "//127.0.0.1:{port}/",
    "127.0.0.1:{port}/", "/etc/passwd", "", "http://", "http:///x", "http:127.0.0.1:{port}", "http://:{port}/",
    "http://public.example@127.0.0.1:{port}/", "http://user:secret@127.0.0.1:{port}/",
    "http://@127.0.0.1:{port}/", "http://public.example:80@127.0.0.1:{port}/",
    "http://public.example%40127.0.0.1:{port}/", "http://public.example\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@public.example/", "http://127.0.0.1\\.public.example:{port}/",
    "http:\\\\127.0.0.1:{port}\\", "http:/\\127.0.0.1:{port}/", "http://public.example#@127.0.0.1:{port}/",
    "http://public.example?@127.0.0.1:{port}/", "http://public.example;@127.0.0.1:{port}/",
    " http://127.0.0.1:{port}/", "http://127.0.0.1:{port}/ x", "http://127.0.0.1\t:{port}/",
    "http://127.0.0.1:{port}/\r\nHost: public.example", "http://127.0.0.1\x00.public.example:{port}/",
    "http://127.0.0.1 :{port}/", "http://127.0.0.1\n:{port}/", "ht\ntp://127.0.0.1:{port}/",
    "http://[::1:{port}/", "http://[127.0.0.1]:{port}/", "http://127.0.0.1:{port}:80/",
    "http://127.0.0.1:99999/", "http://127.0.0.1:-1/", "http://127.0.0.1:{port}x/", "http://\u2028127.0.0.1:{port}/",
    "http://private.example:{port}/", "http://PRIVATE.example:{port}/", "http://private.example.:{port}/",
    "http://mixed.example:{port}/", "http://mapped.example:{port}/",
    "http://metadata.example/", "https://private.example:{port}/", "http://unknown.example:{port}/",
    "http://\ud800.example:{port}/", "http://" + "a" * 64 + ".example:{port}/", "http://a..b:{port}/",
    "http://127.0.0.1.{port}/", "http://xn--:{port}/", "http://" + "x" * 5_000,
]  # fmt: skip


PLACES: Final = {
    "private.example": ["127.0.0.1"],
    "mixed.example": ["8.8.8.8", "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "metadata.example": ["169.254.169.254"],
}
"""Where names lead; no other name is known, so that nothing leaves this machine."""


def resolve(host: str, port: int) -> Sequence[str]:
    """Numbers and this machine's own name as the system reads them."""
    if host[:1].isdigit() or ":" in host or host.lower().rstrip(".") == "localhost":
        return system_resolver(host, port)
    return Names(PLACES)(host, port)


@pytest.fixture
def listener() -> Iterator[ScriptedServer]:
    """A server that must not be reached."""
    with ScriptedServer() as server:
        yield server
        assert (server.connections, server.requests) == (0, [])


def test_a_host_that_is_not_public_is_never_connected_to(
    subtests: pytest.Subtests, listener: ScriptedServer
) -> None:
    for host, scheme in product([*LOOPBACK_HOSTS, *PRIVATE_HOSTS], ["http", "https"]):
        with subtests.test(f"{scheme}://{host}"):
            port = "" if host.endswith(":22") else f":{listener.port}"
            check(f"{scheme}://{host}{port}/")


def test_no_trick_leads_to_this_machine(subtests: pytest.Subtests, listener: ScriptedServer) -> None:
    for url in TRICKS:
        with subtests.test(ascii(url)):
            check(url.format(port=listener.port))


def check(url: str) -> None:
    """The url is refused, or leads to a name that nobody knows; no message tells a password."""
    with pytest.raises((BlockedAddressError, SourceUnavailableError)) as refusal:
        fetcher((), resolve=resolve, attempts=1).get(url, accept=JSON)
    message = str(refusal.value)
    assert "\n" not in message
    assert "secret" not in message
    if isinstance(refusal.value, SourceUnavailableError):
        assert "cannot be resolved" in message


def test_without_the_guard_most_of_these_hosts_would_be_reached(server: ScriptedServer) -> None:
    open_fetcher = fetcher(
        ("127.0.0.0/8", "0.0.0.0", "::1"), resolve=resolve, attempts=1, connect_seconds=0.2
    )
    for host in LOOPBACK_HOSTS:
        server.script(reply())
        with suppress(AuskunftError):
            open_fetcher.get(f"http://{host}:{server.port}/", accept=JSON)
    assert server.connections >= 20


@pytest.mark.parametrize("host", [*LOOPBACK_HOSTS, *PRIVATE_HOSTS])
def test_a_redirect_to_such_a_host_is_not_followed(server: ScriptedServer, host: str) -> None:
    with ScriptedServer() as listener:
        port = "" if host.endswith(":22") else f":{listener.port}"
        server.script(redirect(f"http://{host}{port}/"))
        # the server's address is only allowed by its own name
        internal = Names({"cms.internal": ["127.0.0.1"]}, resolve)
        guarded = fetcher(("cms.internal",), resolve=internal, attempts=1)
        with pytest.raises((BlockedAddressError, SourceUnavailableError)):
            guarded.get(server.url(host="cms.internal"), accept=JSON)
        assert server.connections == 1
        assert listener.connections == 0


@pytest.mark.parametrize(
    "location", ["file:///etc/passwd", "gopher://127.0.0.1/", "http://a:b@127.0.0.1/", "\\\\x"]
)
def test_a_redirect_to_something_else_than_a_page_is_not_followed(
    server: ScriptedServer, location: str
) -> None:
    server.script(redirect(location))
    with pytest.raises(BlockedAddressError):
        fetcher().get(server.url(), accept=JSON)
    assert server.connections == 1


def test_a_name_that_turns_private_after_the_first_answer_is_never_connected_to(
    server: ScriptedServer,
) -> None:
    names = Names({"rebinding.example": [["127.0.0.1"], ["127.0.0.2"]]})
    server.script(redirect("/again"), reply())
    guarded = fetcher(("127.0.0.1",), resolve=names)
    with pytest.raises(BlockedAddressError, match=r"127\.0\.0\.2"):
        guarded.get(server.url(host="rebinding.example"), accept=JSON)
    assert (server.connections, len(names.asked)) == (1, 2)


def test_a_name_is_resolved_once_for_a_connection_which_goes_to_the_checked_address(
    server: ScriptedServer,
) -> None:
    # were it resolved again, the connection would go to an address where nothing listens
    names = Names({"cms.example": [["127.0.0.1"], ["192.0.2.1"]]})
    server.script(reply(b'{"a": 1}'))
    fetched = fetcher(resolve=names).get(server.url("/page", host="cms.example"), accept=JSON)
    assert fetched.body == b'{"a": 1}'
    assert names.asked == ["cms.example"]
    assert f"Host: cms.example:{server.port}" in server.requests[0]


@pytest.mark.parametrize(
    ("entries", "host", "address", "permitted"),
    [
        ([], "a.example", "8.8.8.8", True),
        ([], "a.example", "2606:4700::1111", True),
        ([], "a.example", "64:ff9b::8.8.8.8", True),
        ([], "a.example", "::ffff:8.8.8.8", True),
        ([], "a.example", "100.63.255.255", True),
        ([], "a.example", "100.128.0.0", True),
        ([], "a.example", "172.32.0.1", True),
        ([], "a.example", "10.1.0.1", False),
        (["10.1.0.0/16"], "a.example", "10.1.0.1", True),
        (["10.1.0.0/16"], "a.example", "::ffff:10.1.0.1", True),
        (["10.1.0.0/16"], "a.example", "10.2.0.1", False),
        (["127.0.0.1"], "a.example", "127.0.0.1", True),
        (["127.0.0.1"], "a.example", "127.0.0.2", False),
        (["fd00:1::/32"], "a.example", "fd00:1::5", True),
        (["fd00:1::/32"], "a.example", "fd00:2::5", False),
        (["CMS.internal."], "cms.internal", "10.1.0.1", True),
        (["cms.internal"], "cms.internal.", "fd00::1", True),
        (["cms.internal"], "evil.cms.internal", "10.1.0.1", False),
        (["cms.internal"], "cms.internal", "169.254.169.254", False),
        (["cms.internal"], "cms.internal", "224.0.0.1", False),
        (["cms.internal"], "cms.internal", "::ffff:169.254.169.254", False),
    ],
)
def test_the_allow_list_opens_what_it_names_and_nothing_else(
    entries: list[str], host: str, address: str, permitted: bool
) -> None:
    assert AllowList.parse(entries).permits(host, ip_address(address)) is permitted


METADATA = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.42.42", "169.254.0.23", "100.100.100.200",
    "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
    "fd00:c1::a9fe:a9fe", "fd00:a9fe:a9fe::1", "fe80::a9fe:a9fe", "fe80::a9fe:a9fe%lo",
    "::ffff:169.254.169.254", "::ffff:100.100.100.200", "64:ff9b::169.254.169.254", "64:ff9b::6464:64c8",
    "2002:a9fe:a9fe::1",
]  # fmt: skip


@pytest.mark.parametrize("address", METADATA)
@pytest.mark.parametrize("entry", ["cms.internal", "0.0.0.0/0", "100.64.0.0/10", "fc00::/7", "fe80::/10"])
def test_no_entry_opens_a_clouds_metadata_server(entry: str, address: str) -> None:
    assert not AllowList.parse([entry]).permits("cms.internal", ip_address(address))


def test_a_name_that_leads_to_a_metadata_server_is_not_said_to_be_allowable() -> None:
    names = Names({"cms.internal": ["fd00:ec2::254"]})
    with pytest.raises(BlockedAddressError, match="metadata server, from which nothing is ever fetched"):
        fetcher(("cms.internal",), resolve=names).get("http://cms.internal/", accept=JSON)


@pytest.mark.parametrize(
    "entry", ["", "10.0.0.1/8", "http://cms.internal", "cms.internal:80", "10.0.0", "*", "a b"]
)
def test_an_entry_that_is_neither_network_nor_name_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="use a network such as"):
        AllowList.parse([entry])
