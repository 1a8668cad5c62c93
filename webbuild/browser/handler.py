"""The request handler of the server: find the resource, send its headers and body."""

from __future__ import annotations

import io
import os
from http import HTTPStatus
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from webbuild.browser.document_root import DocumentRoot
from webbuild.browser.host_names import host_name
from webbuild.browser.request_head import RequestHeadReader
from webbuild.browser.resource import Resource, file_resource, memory_resource
from webbuild.browser.safe_path import resolve_inside
from webbuild.errors import printable

_CHUNK_BYTES = 1 << 18
_REFUSED = """This server does not answer to the host {}.
fix: open the address that webbuild printed; behind a tunnel or a proxy give its name: webbuild serve --allow-host NAME
"""


class RequestHandler(BaseHTTPRequestHandler):
    """GET and HEAD over a `DocumentRoot`. It lists no folders, runs no code and writes no files."""

    protocol_version = "HTTP/1.1"
    server_version = "webbuild"
    sys_version = ""
    timeout = 60  # seconds that a client may block its thread with a request, or with a chunk of the response
    disable_nagle_algorithm = True  # else a small body waits 40 ms for the client to acknowledge its headers
    site: DocumentRoot

    def setup(self) -> None:
        """Read the socket with a limit for each request."""
        super().setup()
        self._head = RequestHeadReader(self.connection, self.timeout)
        self.rfile.close()
        self.rfile = io.BufferedReader(self._head)

    def handle_one_request(self) -> None:
        """Answer the next request of the connection."""
        self._head.begin()
        try:
            super().handle_one_request()
        except LineTooLong:  # in the request line, where the base class does not expect it
            self.close_connection = True

    def do_GET(self) -> None:
        """Send the headers and the body."""
        self._answer(body=True)

    def do_HEAD(self) -> None:
        """Send the headers only."""
        self._answer(body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name in the base class)
        """Log nothing: a missing file shows in the browser's console."""

    def end_headers(self) -> None:
        """Add the headers of every response, also of errors."""
        for name, value in self.site.headers().items():
            self.send_header(name, value)
        super().end_headers()

    def _answer(self, *, body: bool) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # the body is not read, and must not be parsed as the next request
        scheme, _, rest = self.path.partition("://")
        absolute = scheme.lower() in ("http", "https") and bool(rest)
        authority, _, after = rest.partition("/")
        path = (f"/{after}" if absolute else self.path).split("?")[0].split("#")[0]
        hosts = [*self.headers.get_all("Host", []), *([authority] if absolute else [])]
        refused = [host for host in hosts if not self.site.answers_to(host_name(host))]
        if refused:
            self._plain(HTTPStatus.FORBIDDEN, body=body, text=_REFUSED.format(printable(refused[0], 100)))
            return
        resource = self._find(path)
        if isinstance(resource, str):
            query = self.path.partition("?")[1:]
            self._plain(HTTPStatus.MOVED_PERMANENTLY, body=body, location="".join((resource, *query)))
        elif resource is None:
            self._plain(HTTPStatus.NOT_FOUND, body=body)
        elif resource.not_modified(self.headers["If-None-Match"], self.headers["If-Modified-Since"]):
            self.send_response(HTTPStatus.NOT_MODIFIED)
            self._version(resource)
            self.end_headers()
        else:
            self._send(resource, path, body=body)

    def _find(self, path: str) -> Resource | str | None:
        """Return the resource of a path; the path to redirect to for a folder without its slash; None if not found."""
        if (virtual := self.site.virtual_files.get(path)) is not None:
            return memory_resource(*virtual)
        if not path.startswith(self.site.prefix):
            return None
        target = resolve_inside(self.site.root, path[len(self.site.prefix) :])
        if target is None:
            return None
        if target.is_dir():
            if not path.endswith("/"):
                inside = target.relative_to(self.site.root).as_posix()
                return quote(os.fsencode(f"{self.site.prefix}{inside}/"))
            target = target / "index.html"
        elif path.endswith("/"):
            return None
        return self._file(target)

    def _file(self, target: Path) -> Resource | None:
        try:
            inside = target.resolve(strict=True).is_relative_to(self.site.root)
            return file_resource(target) if inside and target.is_file() else None
        except OSError:
            return None

    def _send(self, resource: Resource, path: str, *, body: bool) -> None:
        try:
            stream = resource.open()
        except OSError:
            self._plain(HTTPStatus.NOT_FOUND, body=body)
            return
        with stream:
            self.send_response(HTTPStatus.OK)
            self._version(resource)
            self.send_header("Content-Type", resource.media_type)
            self.send_header("Content-Length", str(resource.size))
            self.end_headers()
            if body:
                self._copy(stream, resource.size, path)

    def _version(self, resource: Resource) -> None:
        self.send_header("ETag", resource.etag)
        self.send_header("Cache-Control", "no-cache")
        if resource.last_modified is not None:
            self.send_header("Last-Modified", resource.last_modified)

    def _copy(self, stream: BinaryIO, size: int, path: str) -> None:
        left = size
        try:
            while left and (chunk := stream.read(min(_CHUNK_BYTES, left))):
                self.wfile.write(chunk)
                left -= len(chunk)
        finally:
            self.site.on_request(path, size - left)
        if left:  # the file shrank while it was sent: less than Content-Length
            self.close_connection = True

    def _plain(self, status: HTTPStatus, *, body: bool, location: str = "", text: str = "") -> None:
        content = f"{status.value} {status.phrase}\n{text}".encode()
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if body:
            self.wfile.write(content)
