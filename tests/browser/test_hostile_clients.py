"""Raw bytes on the socket: foreign hosts, slow and endless requests, path traversal. No thread is lost to them."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.browser.test_robust import CERT, KEY
from webbuild.browser.handler import RequestHandler
from webbuild.browser.host_names import host_name
from webbuild.browser.request_head import MAX_HEAD_BYTES
from webbuild.browser.server import Server
from webbuild.browser.tls import tls_context


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "bundle"
    (folder / "runtime").mkdir(parents=True)
    (folder / "index.html").write_text("<title>page</title>")
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "out").symlink_to(folder.parent)
    return folder


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[Server]:
    with Server(site) as server:
        yield server


def connect(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", urlsplit(server.origin).port or 0), timeout=20)


def send(server: Server, data: bytes) -> bytes:
    """Send only these bytes; return everything that the server sends until it closes the connection."""
    with connect(server) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        except OSError:  # the server has already closed the connection
            pass
        return read_all(client)


def read_all(client: socket.socket) -> bytes:
    parts = []
    try:
        while part := client.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def ask_as(server: Server, *hosts: str, path: str = "/") -> bytes:
    lines = "".join(f"Host: {host}\r\n" for host in hosts)
    return send(server, f"GET {path} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "localhost.", "127.0.0.1:80", "[::1]:8000"])
def test_names_of_this_machine_are_answered(served: Server, host: str) -> None:
    assert b"<title>page</title>" in ask_as(served, host)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example:80",
        "localhost.evil.example",
        "localhost@evil.example",
        "",
        "[",
        "192.0.2.1",
    ],
)
def test_other_names_are_refused_with_the_fix(served: Server, host: str) -> None:
    for hosts in ([host], ["localhost", host], [host, "localhost"]):
        answer = ask_as(served, *hosts)
        assert status(answer) == 403
        assert b"--allow-host NAME" in answer
        assert b"<title>" not in answer


def test_the_name_in_the_request_line_counts_too(served: Server) -> None:
    assert status(ask_as(served, "localhost", path="http://evil.example/")) == 403
    assert status(ask_as(served, "localhost", path="HTTP://localhost/index.html?x#y")) == 200
    assert status(ask_as(served, "localhost", path="http://[/")) == 403


def test_further_names_are_answered_where_they_are_allowed(site: Path) -> None:
    with Server(site, allowed_hosts=["Demo.Example:8000", "https://tunnel.example/"]) as server:
        for host in ("demo.example", "tunnel.example:443", "localhost"):
            assert status(ask_as(server, host)) == 200
        assert status(ask_as(server, "other.example")) == 403
        server.set_public_url(f"https://public.example:{urlsplit(server.origin).port}")
        assert status(ask_as(server, "public.example")) == 200
        server.set_public_url("")
        assert status(ask_as(server, "public.example")) == 403


def test_over_tls_the_certificate_says_which_names_are_right(site: Path) -> None:
    context = ssl.create_default_context(cafile=str(CERT))
    with (
        Server(site, host="0.0.0.0", tls=tls_context(CERT, KEY)) as server,
        connect(server) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as client,
    ):
        client.sendall(b"GET / HTTP/1.1\r\nHost: phone.test\r\nConnection: close\r\n\r\n")
        assert status(client.recv(1 << 16)) == 200


@pytest.mark.parametrize(
    "path",
    [
        "/%2e%2e/secret.txt",
        "/..%2f..%2f..%2fetc/passwd",
        "/%c0%ae%c0%ae/secret.txt",
        "/..%5c..%5csecret.txt",
        "/index.html%00.js",
        "/out/secret.txt",
        "///etc/passwd",
        "/runtime/" * 3000,
        "/" + "%2e%2e/" * 3000,
        "http://localhost/../secret.txt",
        "http://localhost//etc/passwd",
    ],
)
def test_no_path_leads_out(served: Server, path: str) -> None:
    answer = ask_as(served, "localhost", path=path)
    assert status(answer) in (400, 404, 414)
    assert b"secret" not in answer
    assert b"root:" not in answer


def test_a_head_beyond_its_size_is_refused(served: Server) -> None:
    line = b"GET / HTTP/1.1\r\n"
    assert status(send(served, line + b"X: " + b"x" * MAX_HEAD_BYTES)) == 431
    many = b"".join(b"X%d: %s\r\n" % (index, b"x" * 1000) for index in range(90))
    assert status(send(served, line + many + b"\r\n")) == 431
    assert status(send(served, line + b"X: y\r\n" * 200 + b"\r\n")) == 431
    assert status(send(served, b"GET /" + b"x" * (MAX_HEAD_BYTES * 4))) in (0, 414)
    assert status(ask_as(served, "localhost")) == 200


def test_a_body_is_no_further_request(served: Server) -> None:
    inner = b"GET /index.html HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for header in (b"Content-Length: %d" % len(inner), b"Transfer-Encoding: chunked"):
        answer = send(served, b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n" + header + b"\r\n\r\n" + inner)
        assert status(answer) == 404
        assert b"<title>" not in answer


def drip(client: socket.socket) -> None:
    """Send one byte after another until the server closes the connection, for at most 15 seconds."""
    for _ in range(150):
        client.sendall(b"X")
        time.sleep(0.1)


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\n", b"GET / HT"])
def test_a_client_that_drips_is_hung_up_on(served: Server, begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, but the request never ends: only a limit for the whole request helps."""
    monkeypatch.setattr(RequestHandler, "timeout", 0.5)
    with connect(served) as client:
        client.sendall(begun)
        with pytest.raises((ConnectionResetError, BrokenPipeError)):
            drip(client)
    monkeypatch.undo()
    assert status(ask_as(served, "localhost")) == 200


def test_a_client_that_does_not_read_is_hung_up_on(served: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RequestHandler, "timeout", 0.5)
    wait_until_idle()
    served.virtual["/large.bin"] = ("application/octet-stream", bytes(64 << 20))
    with connect(served) as client:
        client.sendall(b"GET /large.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
        client.recv(1)
        assert working() == 1
        wait_until_idle()


def working() -> int:
    """Return the number of threads that serve a client."""
    return sum("process_request_thread" in thread.name for thread in threading.enumerate())


def wait_until_idle() -> None:
    """Wait until no client is being served, for at most 15 seconds."""
    for _ in range(150):
        if working() == 0:
            return
        time.sleep(0.1)
    raise AssertionError(f"{working()} clients hold a thread")


WORDS = (
    *(
        b"GET",
        b"HEAD",
        b"POST",
        b" ",
        b"/",
        b"//",
        b"http://",
        b"localhost",
        b"[",
        b"]",
        b"%",
        b"%00",
        b"..",
        b"\\",
        b"?",
    ),
    *(
        b"HTTP/1.1",
        b"HTTP/1.0",
        b"HTTP/0.9",
        b"HTTP/9.9",
        b"\r\n",
        b"\n",
        b"\r",
        b":",
        b"Host: localhost",
        b"\xff",
        b"\0",
    ),
    *(b"If-Modified-Since: ", b"Thu, 01 Jan 0001 00:00:00", b"Mon, 99 Foo 99999", b"If-None-Match: ", b'"', b",", b"*"),
    *(b"Content-Length: ", b"-1", b"9" * 30, b"Transfer-Encoding: chunked", b"Expect: 100-continue", b"\r\n\r\n"),
    *(b"/runtime", b"/index.html", b"\xed\xa0\x80", b"%ed%a0%80", b"x" * 70000),
)


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(words=st.lists(st.sampled_from(WORDS) | st.binary(max_size=8), max_size=14), opening=st.booleans())
def test_whatever_is_sent_is_answered_or_ended(
    served: Server, words: list[bytes], opening: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = send(served, (b"GET / HTTP/1.1\r\nHost: localhost\r\n" if opening else b"GET ") + b"".join(words))
    assert b"secret" not in answer
    assert status(answer) in (0, 200, 301, 304, 400, 403, 404, 414, 417, 431, 501, 505)
    assert capfd.readouterr() == ("", "")


@given(st.text(max_size=30))
def test_any_text_has_a_name_or_none(text: str) -> None:
    assert isinstance(host_name(text), str)
