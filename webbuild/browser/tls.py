"""The certificate that a server shows, so that browsers of other machines treat its pages as they do localhost's."""

from __future__ import annotations

import ssl
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError


def tls_context(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return how to speak TLS with a certificate and its key, both PEM; None where neither is given.

    Raises:
        WebbuildError: `no-certificate` for one without the other, a file that cannot be read, or a key of another.
    """
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        given, lacking = ("--cert", "--key") if key is None else ("--key", "--cert")
        raise _tls_error(f"{given} was given without {lacking}")
    for file in (cert, key):
        if not file.is_file():
            raise _tls_error(f"{file}: there is no such file")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=lambda: b"")  # asks nobody on the terminal
    except (OSError, ValueError) as error:
        raise _tls_error(f"{cert} and {key} are no certificate with its key: {error}") from error
    return context


def _tls_error(what: str) -> WebbuildError:
    fix = "give a certificate and its key without a password, both PEM: `mkcert NAME` makes them for your own machines"
    return WebbuildError("no-certificate", what, fix, exit_code=USAGE)
