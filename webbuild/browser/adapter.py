"""The graphics adapter of a page: its name, and the error of a browser that has none."""

from __future__ import annotations

from collections.abc import Mapping

from webbuild.errors import USAGE, WebbuildError

_MEND = "run with `--backend wasm`, or name a Chromium that has WebGPU in WEBBUILD_CHROMIUM"


def adapter_name(told: Mapping[str, str] | None, mend: str = _MEND) -> str:
    """Return every word of what a page's `adapter()` told, each once.

    Raises:
        WebbuildError: `no-adapter` where there is none.
    """
    if not told:
        raise no_adapter(mend)
    return " ".join(dict.fromkeys(word for word in told.values() if word)) or "unnamed"


def no_adapter(mend: str = _MEND) -> WebbuildError:
    """The error of a browser without WebGPU."""
    return WebbuildError("no-adapter", "chromium: no WebGPU adapter", mend, exit_code=USAGE)
