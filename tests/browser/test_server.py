"""The server over real sockets: bytes, headers, and the files that it must not serve."""

from __future__ import annotations

import http.client
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import BODY
from webbuild.browser.server import Server


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status, self.headers, self.body = response.status, response.headers, response.read()


def ask(server: Server, path: str, method: str = "GET", **headers: str) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(server.origin).netloc, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=False)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        return Answer(connection.getresponse())
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/runtime/worker.js", "text/javascript; charset=utf-8"),
        ("/runtime/ort.mjs", "text/javascript; charset=utf-8"),
        ("/runtime/ort.wasm", "application/wasm"),
        ("/runtime/ort.wasm.zst", "application/zstd"),
        ("/runtime/manifest.json", "application/json"),
        ("/runtime/model.onnx", "application/octet-stream"),
        ("/weights.bin", "application/octet-stream"),
        ("/runtime/x.jpg", "image/jpeg"),
        ("/runtime/x.css", "text/css; charset=utf-8"),
    ],
)
def test_types(server: Server, path: str, kind: str) -> None:
    answer = ask(server, path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert answer.headers["Content-Encoding"] is None
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/", "/nothing", "/runtime"])
def test_isolation_headers_are_on_every_answer(folder: Path, path: str) -> None:
    with Server(folder) as isolated, Server(folder, isolated=False) as plain:
        headers = ask(isolated, path).headers
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert ask(plain, path).headers["Cross-Origin-Embedder-Policy"] is None
        assert ask(plain, path).headers["Cross-Origin-Opener-Policy"] is None


def test_a_range_is_ignored_as_http_allows(server: Server) -> None:
    answer = ask(server, "/weights.bin", Range="bytes=0-3")
    assert (answer.status, answer.body) == (200, BODY)
    assert answer.headers["Accept-Ranges"] is None


def test_head_is_get_without_the_body(server: Server) -> None:
    for path in ("/weights.bin", "/nothing", "/runtime"):
        head, get = ask(server, path, "HEAD"), ask(server, path)
        assert (head.status, head.body) == (get.status, b"")
        for name in ("Content-Length", "Content-Type", "ETag"):
            assert head.headers[name] == get.headers[name]


def test_conditional_requests(server: Server, folder: Path) -> None:
    first = ask(server, "/weights.bin")
    assert ask(server, "/weights.bin", If_None_Match=first.headers["ETag"]).status == 304
    assert ask(server, "/weights.bin", If_None_Match=f'"other", W/{first.headers["ETag"]}').status == 304
    assert ask(server, "/weights.bin", If_None_Match='"other"').status == 200
    assert ask(server, "/weights.bin", If_Modified_Since=first.headers["Last-Modified"]).status == 304
    assert ask(server, "/weights.bin", If_Modified_Since="Thu, 01 Jan 1970 00:00:00 GMT").status == 200
    assert ask(server, "/weights.bin", If_Modified_Since="soon").status == 200
    (folder / "weights.bin").write_bytes(b"changed")
    assert ask(server, "/weights.bin", If_None_Match=first.headers["ETag"]).body == b"changed"


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/runtime/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..%2fsecret.txt",
        "/..%5csecret.txt",
        "/..\\secret.txt",
        "/%252e%252e/secret.txt",
        "/./index.html",
        "//index.html/../../secret.txt",
        "/../bundle-secret/file.txt",
        "/outside.txt",
        "/out/secret.txt",
        "/out/",
        "/out",
        "/linked/",
        "/loop",
        "/.hidden",
        "/runtime/",
        "/weights.bin/",
        "/weights.bin/x",
        "/nothing",
        "/nul%00",
        "/C:/secret.txt",
        "/" + "a" * 5000,
        "/%ff%fe",
        "*",
        "secret.txt",
    ],
)
def test_nothing_outside_the_folder_and_no_listing(server: Server, path: str) -> None:
    answer = ask(server, path)
    assert answer.status in (400, 404)
    assert b"secret" not in answer.body
    assert b"worker.js" not in answer.body


def test_a_link_that_stays_inside_is_followed(server: Server) -> None:
    assert ask(server, "/inside.bin").body == BODY


def test_names_are_decoded_once(server: Server) -> None:
    assert ask(server, "/a%20b+c%25.js?v=1#top").body == b"1"


def test_a_folder_without_its_slash_is_sent_to_it(server: Server) -> None:
    answer = ask(server, "/runtime")
    assert (answer.status, answer.headers["Location"]) == (301, "/runtime/")
    assert ask(server, "//runtime").headers["Location"] in (None, "/runtime/")
    assert ask(server, "/runtime?a=1&b=%2F?").headers["Location"] == "/runtime/?a=1&b=%2F?"


def test_other_methods_are_refused(server: Server) -> None:
    for method in ("POST", "PUT", "DELETE", "TRACE"):
        assert ask(server, "/index.html", method).status == 501


def test_prefix(folder: Path) -> None:
    with Server(folder, prefix="/demos/pose") as server:
        assert server.url.endswith("/demos/pose/")
        assert ask(server, "/demos/pose/").body == b"<title>page</title>"
        assert ask(server, "/demos/pose/weights.bin").body == BODY
        assert ask(server, "/demos/pose/runtime").headers["Location"] == "/demos/pose/runtime/"
        for path in ("/", "/weights.bin", "/demos/posex/weights.bin", "/demos/pose/../../secret.txt"):
            assert ask(server, path).status == 404


def test_virtual_files_come_first_and_may_change(folder: Path) -> None:
    with Server(folder, virtual={"/index.html": ("text/html", b"made")}) as server:
        assert ask(server, "/index.html").body == b"made"
        server.virtual["/feed.bin"] = ("application/octet-stream", BODY)
        assert ask(server, "/feed.bin").body == BODY
        tag = ask(server, "/feed.bin").headers["ETag"]
        assert ask(server, "/feed.bin", If_None_Match=tag).status == 304
        server.virtual["/feed.bin"] = ("application/octet-stream", b"new")
        assert ask(server, "/feed.bin", If_None_Match=tag).body == b"new"


def test_slow_and_vanished_clients_block_nobody(server: Server) -> None:
    address = urlsplit(server.origin)
    assert address.hostname is not None
    stuck = [socket.create_connection((address.hostname, address.port or 0)) for _ in range(20)]
    try:
        for index, client in enumerate(stuck):
            client.sendall(
                b"GET /weights.bin HTTP/1.1\r\n"
                if index % 2
                else b"GET /weights.bin HTTP/1.1\r\nHost: localhost\r\n\r\n"
            )
        assert ask(server, "/weights.bin").body == BODY
    finally:
        for client in stuck:
            client.close()
    assert ask(server, "/weights.bin").body == BODY


def test_a_file_that_shrinks_while_it_is_sent_ends_the_connection(server: Server, folder: Path) -> None:
    with (folder / "weights.bin").open("wb") as file:
        file.truncate(64 << 20)
    connection = http.client.HTTPConnection(urlsplit(server.origin).netloc, timeout=10)
    connection.request("GET", "/weights.bin")
    response = connection.getresponse()
    (folder / "weights.bin").write_bytes(b"")
    with pytest.raises(http.client.IncompleteRead):
        response.read()
    connection.close()


def test_nothing_is_printed(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    address = urlsplit(server.origin)
    assert address.hostname is not None
    with socket.create_connection((address.hostname, address.port or 0)) as client:
        client.sendall(b"GET /weights.bin HTTP/1.1\r\nHost: localhost\r\n\r\n")
    ask(server, "/nothing")
    assert capfd.readouterr() == ("", "")
