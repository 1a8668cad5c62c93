"""Which browser an address names, and how its pages reach the local server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from webbuild.browser import open_browser as module
from webbuild.browser.open_browser import Endpoint, expose_server, open_browser, parse_endpoints
from webbuild.browser.server import Server
from webbuild.errors import WebbuildError


@pytest.mark.parametrize(
    ("endpoint", "kind"),
    [
        ("", "local"),
        ("ws://10.0.0.2:4444/abc", "playwright"),
        ("wss://grid.example/play", "playwright"),
        ("http://localhost:9222", "cdp"),
        ("ws://localhost:9222/devtools/browser/1-2", "cdp"),
    ],
)
def test_the_address_says_what_it_is_of(endpoint: str, kind: str) -> None:
    assert Endpoint(endpoint).kind == kind


def test_none_named_is_the_one_that_is_started_here() -> None:
    assert parse_endpoints([]) == [Endpoint()]
    assert parse_endpoints(["ws://a:1", "http://b:2"], "https://desk:3") == [
        Endpoint("ws://a:1", "https://desk:3"),
        Endpoint("http://b:2", "https://desk:3"),
    ]


@pytest.mark.parametrize("endpoint", ["a:1", "ftp://a", "ws://", "chromium", ""])
def test_what_is_no_address_is_refused(endpoint: str) -> None:
    with pytest.raises(WebbuildError, match="not the address of a browser") as caught:
        parse_endpoints([endpoint])
    assert (caught.value.code, caught.value.exit_code) == ("invalid-endpoint", 2)


@pytest.mark.parametrize(
    ("public", "code"),
    [
        ("http://192.168.1.5:8000", "not-loopback"),
        ("desk:8000", "invalid-endpoint"),
        ("https://desk/below", "invalid-endpoint"),
        ("ftp://localhost", "not-loopback"),
    ],
)
def test_a_public_address_is_a_host_with_webgpu(public: str, code: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        parse_endpoints([], public)
    assert caught.value.code == code


def test_a_tunnel_to_localhost_needs_no_tls() -> None:
    assert parse_endpoints([], "http://localhost:8000") == [Endpoint("", "http://localhost:8000")]


def test_the_server_is_seen_where_it_is_public(server: Server) -> None:
    own = server.url
    server.set_public_url("https://desk:8443/")
    assert (server.origin, server.url) == ("https://desk:8443", "https://desk:8443/")
    server.set_public_url("")
    assert server.url == own


@pytest.fixture
def devtools(tmp_path: Path) -> Iterator[Server]:
    """Return the JSON that a phone's DevTools port gives."""
    told = json.dumps({"Android-Package": "com.android.chrome", "Browser": "Chrome/156.0"}).encode()
    (tmp_path / "phone").mkdir()
    with Server(tmp_path / "phone", virtual={"/json/version": ("application/json", told)}) as server:
        yield server


def test_each_way_is_told(server: Server) -> None:
    assert "expose_network" in expose_server(Endpoint("ws://far:1/x"), server)
    assert "https://desk:1" in expose_server(Endpoint("http://far:9222", "https://desk:1"), server)
    assert "this machine" in expose_server(Endpoint("http://localhost:1"), server)


def test_a_far_devtools_port_needs_an_address(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_is_android", lambda _: False)
    with pytest.raises(WebbuildError, match="cannot reach") as caught:
        expose_server(Endpoint("http://far.example:9222"), server)
    assert (caught.value.code, caught.value.exit_code) == ("endpoint-unreachable", 2)
    assert "--public-url" in caught.value.fix


@pytest.mark.posix
def test_a_phone_is_reached_by_adb(
    server: Server, devtools: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = tmp_path / "called"
    adb = tmp_path / "adb"
    adb.write_text(f'#!/bin/sh\necho "$@" > {called}\n')
    adb.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    port = server.origin.rpartition(":")[2]
    assert f"adb reverse tcp:{port} tcp:{port}" in expose_server(Endpoint(devtools.origin), server)
    assert called.read_text() == f"reverse tcp:{port} tcp:{port}\n"
    adb.write_text("#!/bin/sh\necho no devices >&2; exit 1\n")
    with pytest.raises(WebbuildError, match="no devices"):
        expose_server(Endpoint(devtools.origin), server)
    adb.unlink()
    with pytest.raises(WebbuildError) as caught:
        expose_server(Endpoint(devtools.origin), server)
    assert caught.value.code == "no-adb"


def test_nobody_there_is_an_error_with_its_mend(server: Server) -> None:
    with pytest.raises(WebbuildError) as caught, open_browser(Endpoint("ws://127.0.0.1:9/nothing"), server):
        pass
    assert (caught.value.code, caught.value.exit_code) == ("cannot-connect", 2)
    assert "version" in caught.value.fix
