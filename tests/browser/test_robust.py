"""The server under load, over TLS, and with clients that are slow, silent or disconnected."""

from __future__ import annotations

import http.client
import random
import socket
import ssl
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import BODY
from webbuild.browser.server import Server
from webbuild.browser.tls import tls_context
from webbuild.errors import WebbuildError

HERE = Path(__file__).parent
CERT, KEY = HERE / "loopback.cert.pem", HERE / "loopback.key.pem"
CLIENTS, EACH = 8, 125
"""1,000 requests."""


@pytest.fixture
def safe(folder: Path) -> Iterator[Server]:
    with Server(folder, tls=tls_context(CERT, KEY)) as server:
        yield server


def address(server: Server) -> tuple[str, int]:
    parts = urlsplit(server.origin)
    assert parts.hostname is not None
    assert parts.port is not None
    return parts.hostname, parts.port


def trusting() -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(CERT))
    context.check_hostname = True
    return context


def connected(server: Server) -> http.client.HTTPConnection:
    if server.origin.startswith("https"):
        return http.client.HTTPSConnection(*address(server), timeout=20, context=trusting())
    return http.client.HTTPConnection(*address(server), timeout=20)


def client(server: Server, seed: int) -> int:
    """Send requests on one connection, again and again; return how many responses were right."""
    chance, right = random.Random(seed), 0
    known = {"/weights.bin": (200, BODY), "/nothing": (404, b"404 Not Found\n"), "/empty.bin": (200, b"")}
    connection = connected(server)
    for _ in range(EACH):
        path = chance.choices(list(known), weights=[1, 8, 8])[0]
        connection.request("GET", path)
        answer = connection.getresponse()
        right += (answer.status, answer.read()) == known[path]
    connection.close()
    return right


@pytest.mark.parametrize("kind", ["server", "safe"])
def test_a_thousand_mixed_requests_are_right_to_the_byte(kind: str, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue(kind)
    with ThreadPoolExecutor(CLIENTS) as pool:
        assert list(pool.map(lambda seed: client(server, seed), range(CLIENTS))) == [EACH] * CLIENTS


def test_transfers_that_are_broken_off_or_not_read_block_nobody(server: Server, folder: Path) -> None:
    (folder / "large.bin").write_bytes(BODY * 8)
    stuck = []
    for index in range(30):
        gone = socket.create_connection(address(server))
        gone.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        gone.recv(100)
        if index % 2:
            gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an end of file
            gone.close()
        else:
            stuck.append(gone)
    assert client(server, 1) == EACH
    for each in stuck:
        each.close()


def test_one_that_says_nothing_on_tls_blocks_nobody(safe: Server) -> None:
    silent = [socket.create_connection(address(safe)) for _ in range(5)]
    plain = socket.create_connection(address(safe))
    plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    connection = connected(safe)
    connection.request("GET", "/index.html")
    assert connection.getresponse().read() == b"<title>page</title>"
    connection.close()
    plain.settimeout(10)
    assert b"page" not in plain.recv(1000)
    for each in (*silent, plain):
        each.close()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_plain_http_off_loopback_is_refused_with_the_mend(folder: Path, host: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        Server(folder, host=host)
    assert (caught.value.code, caught.value.exit_code) == ("not-loopback", 2)
    assert "--cert and --key" in caught.value.fix


def test_with_a_certificate_every_address_is_served(folder: Path) -> None:
    with Server(folder, host="0.0.0.0", tls=tls_context(CERT, KEY)) as server:
        assert server.origin.startswith(f"https://{socket.gethostname()}:")
        port = urlsplit(server.origin).port
        connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=trusting())
        connection.request("GET", "/index.html")
        assert connection.getresponse().read() == b"<title>page</title>"
        connection.close()


@pytest.mark.parametrize("host", ["192.0.2.1", "no such host"])
def test_a_host_that_is_not_this_machine_is_an_error_with_a_mend(folder: Path, host: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        Server(folder, host=host, tls=tls_context(CERT, KEY))
    assert caught.value.code in ("host-unavailable", "no-port")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("cert", "key"), [(CERT, None), (None, KEY), (KEY, CERT), (CERT, CERT), (CERT, HERE / "none"), (HERE / "none", KEY)]
)
def test_half_a_certificate_is_none(cert: Path | None, key: Path | None) -> None:
    with pytest.raises(WebbuildError) as caught:
        tls_context(cert, key)
    assert (caught.value.code, caught.value.exit_code) == ("no-certificate", 2)
    assert "mkcert" in caught.value.fix
