"""The server's address and port, and what prevents it from listening."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from webbuild.browser.server import Server
from webbuild.errors import WebbuildError


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", ""])
def test_only_loopback(folder: Path, host: str) -> None:
    with pytest.raises(WebbuildError) as caught:
        Server(folder, host=host)
    assert (caught.value.code, caught.value.exit_code) == ("not-loopback", 2)
    assert "ssh -L" in caught.value.fix


def test_a_port_that_is_taken(server: Server, folder: Path) -> None:
    port = urlsplit(server.origin).port
    assert port is not None
    with pytest.raises(WebbuildError) as caught:
        Server(folder, port=port)
    assert (caught.value.code, caught.value.exit_code) == ("port-taken", 2)


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WebbuildError, match="no such folder") as caught:
        Server(tmp_path / "nothing")
    assert caught.value.exit_code == 2


def test_closing_frees_the_port(folder: Path) -> None:
    with Server(folder) as first:
        port = urlsplit(first.origin).port or 0
    with Server(folder, port=port) as second:
        assert second.origin == first.origin
