"""A static web server with the headers that a bundle needs. On other addresses than loopback it requires TLS."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from webbuild.browser.document_root import DocumentRoot, RequestListener, VirtualFiles
from webbuild.browser.handler import RequestHandler
from webbuild.browser.host_names import LOOPBACK, host_names
from webbuild.errors import USAGE, WebbuildError

_ALL_INTERFACES = ("0.0.0.0", "::")


class Server:
    """Serves a folder as soon as it is constructed; as a context manager it closes itself.

    Args:
        directory: the folder; nothing outside it can be reached.
        host: a loopback name; other addresses need `tls`.
        port: the port; 0 chooses a free one.
        prefix: the sub-path under which the folder appears, such as `/demos/pose/`.
        isolated: send the headers of cross-origin isolation.
        virtual: files in memory by their path; may be changed while serving.
        headers: headers that are added to every response, or replace its own.
        tls: the TLS context, see `tls_context`. Without TLS, only requests for the names of `host_names` are answered;
            with TLS the browser compares the name with the certificate.
        allowed_hosts: additional host names to answer to, such as a tunnel's.
        on_request: called after each body is sent, on the thread that sent it.

    Raises:
        WebbuildError: `folder-not-found`, `not-loopback`, `host-unavailable`, `port-taken`, `no-port`.
    """

    def __init__(
        self,
        directory: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        prefix: str = "/",
        isolated: bool = True,
        virtual: VirtualFiles | None = None,
        headers: Mapping[str, str] | None = None,
        tls: ssl.SSLContext | None = None,
        allowed_hosts: Sequence[str] = (),
        on_request: RequestListener | None = None,
    ) -> None:
        self.virtual: VirtualFiles = {} if virtual is None else virtual
        trimmed = prefix.strip("/")
        site = DocumentRoot(
            _resolve_folder(directory), f"/{trimmed}/" if trimmed else "/", isolated, self.virtual, headers or {}
        )
        self._names = (host, *allowed_hosts)
        site = replace(site, answers_to=self._answers_to if tls is None else lambda _: True)
        if on_request is not None:
            site = replace(site, on_request=on_request)
        self._http = _listen(host, port, site, tls)
        named = socket.gethostname() if host in _ALL_INTERFACES else host
        shown = f"[{named}]" if ":" in named else named
        self._prefix = site.prefix
        self._own = f"{'http' if tls is None else 'https'}://{shown}:{self._http.server_address[1]}"
        self.set_public_url("")
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    def set_public_url(self, public: str) -> None:
        """Set the address at which browsers reach the server; empty for its own address."""
        self.origin = public.rstrip("/") or self._own
        self.url = f"{self.origin}{self._prefix}"

    def _answers_to(self, name: str) -> bool:
        return name in host_names((*self._names, self.origin))

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening. Requests in flight end with the process: they are not awaited."""
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def serve_forever(self) -> None:
        """Wait until the server is closed, or Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)  # join() without a timeout blocks Ctrl-C on some platforms


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = os.name != "nt"  # on Windows a second server could take the port of a running one
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect; report other errors."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _resolve_folder(directory: Path) -> Path:
    if not directory.is_dir():
        raise WebbuildError(
            "folder-not-found",
            f"{directory}: {'this is a file, not a folder' if directory.exists() else 'there is no such folder'}",
            "give the folder that `webbuild pack` wrote",
            exit_code=USAGE,
        )
    return directory.resolve()


def _listen(host: str, port: int, site: DocumentRoot, tls: ssl.SSLContext | None) -> _Listener:
    if host not in LOOPBACK and tls is None:
        raise WebbuildError(
            "not-loopback",
            f"{host}: without TLS, a page opened from another machine has no WebGPU, no cache and no camera",
            "give --cert and --key too (`mkcert NAME` makes them), or leave --host out and use `ssh -L`",
            exit_code=USAGE,
        )
    family = LOOPBACK.get(host) or _address_family(host)
    listener = type("Listener", (_Listener,), {"address_family": family})
    try:
        http: _Listener = listener((host, port), type("SiteHandler", (RequestHandler,), {"site": site}))
    except (OSError, OverflowError) as error:
        taken = getattr(error, "errno", None) == errno.EADDRINUSE
        raise WebbuildError(
            "port-taken" if taken else "no-port",
            f"port {port} on {host} {'is in use' if taken else f'cannot be opened: {error}'}",
            "give another --port, or leave it out: webbuild then takes a free one",
            exit_code=USAGE,
        ) from error
    if tls is not None:  # the handshake runs on the client's thread, so that a slow client blocks no other
        http.socket = tls.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    return http


def _address_family(host: str) -> socket.AddressFamily:
    try:
        return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as error:
        raise WebbuildError(
            "host-unavailable",
            f"{host}: {error}",
            "give a name or an address of this machine, or 0.0.0.0 for all of them",
            exit_code=USAGE,
        ) from error
