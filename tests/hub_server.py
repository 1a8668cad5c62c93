"""A local server with the part of the Hugging Face Hub's protocol that a download needs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class HubServer(ThreadingHTTPServer):
    """Serves `files` of one repository. `gated` refuses them; `cut` ends the next download of a file halfway."""

    def __init__(self, repository: str, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repository, self.files = repository, dict(files)
        self.gated = False
        self.cut: set[str] = set()
        self.requests: list[tuple[str, str, str]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serve_repository(repository: str, files: Mapping[str, bytes]) -> Iterator[HubServer]:
    with HubServer(repository, files) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: HubServer
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, *_: object) -> None:
        """Log nothing."""

    def _answer(self, *, with_body: bool) -> None:
        hub, path = self.server, unquote(self.path.partition("?")[0])
        wanted = self.headers.get("Range", "")
        hub.requests.append((self.command, path, wanted))
        if path.startswith(f"/api/models/{hub.repository}/revision/") or path == f"/api/models/{hub.repository}":
            names = [{"rfilename": name} for name in hub.files]
            info = {"id": hub.repository, "sha": COMMIT, "siblings": names, "private": False, "gated": hub.gated}
            return self._send(200, json.dumps(info).encode(), with_body, {"Content-Type": "application/json"})
        if path.startswith(f"/api/models/{hub.repository}/tree/"):
            tree = [
                {"type": "file", "path": name, "size": len(data), "oid": _oid(data)} for name, data in hub.files.items()
            ]
            return self._send(200, json.dumps(tree).encode(), with_body, {"Content-Type": "application/json"})
        prefix = f"/{hub.repository}/resolve/"
        if path.startswith(prefix):
            name = path.removeprefix(prefix).partition("/")[2]
            if hub.gated:
                return self._send(403, b"", with_body, {"X-Error-Code": "GatedRepo"})
            if (data := hub.files.get(name)) is None:
                return self._send(404, b"", with_body, {"X-Error-Code": "EntryNotFound"})
            return self._send_file(name, data, wanted, with_body)
        return self._send(404, b"", with_body, {"X-Error-Code": "RepoNotFound"})

    def _send_file(self, name: str, data: bytes, wanted: str, with_body: bool) -> None:
        headers = {"X-Repo-Commit": COMMIT, "ETag": f'"{_oid(data)}"', "Accept-Ranges": "bytes"}
        start = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted.startswith("bytes=") else 0
        body = data[start:]
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        if with_body and name in self.server.cut:
            self.server.cut.discard(name)
            self._send(200, body, False, headers)
            self.wfile.write(body[: len(body) // 2])
            self.close_connection = True
            return
        self._send(206 if start else 200, body, with_body, headers)

    def _send(self, status: int, body: bytes, with_body: bool, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)


def _oid(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()
