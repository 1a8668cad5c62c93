"""TLS for the server, so that browsers on other machines treat its pages as a secure context, like localhost."""

from __future__ import annotations

import ssl
from pathlib import Path

from webbuild.errors import USAGE, WebbuildError


def tls_context(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context for a certificate and its key, both PEM; None if neither is given.

    Raises:
        WebbuildError: `no-certificate` if one is missing, a file cannot be read, or the key does not match.
    """
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        option, missing = ("--cert", "--key") if key is None else ("--key", "--cert")
        raise _tls_error(f"{option} was given without {missing}")
    for file in (cert, key):
        if not file.is_file():
            raise _tls_error(f"{file}: there is no such file")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(cert, key, password=lambda: b"")  # no password prompt on the terminal
    except (OSError, ValueError) as error:
        raise _tls_error(f"{cert} and {key} are not a certificate and its key: {error}") from error
    return context


def _tls_error(what: str) -> WebbuildError:
    fix = "give a certificate and its key without a password, both PEM: `mkcert NAME` makes them for your own machines"
    return WebbuildError("no-certificate", what, fix, exit_code=USAGE)
