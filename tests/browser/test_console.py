"""Which console messages fail a page."""

from __future__ import annotations

import pytest

from webbuild.browser.console import Console, ConsoleMessage, MessageKind


@pytest.mark.parametrize(
    ("kind", "text", "gpu", "bad"),
    [
        ("log", "Error while parsing WGSL is a sentence in a log", False, False),
        ("warning", "some deprecated thing", False, False),
        ("warning", "Error while parsing WGSL: :1:1 error: unexpected token", True, True),
        ("warning", "[Invalid Buffer (unlabeled)] is invalid. - While encoding [CommandEncoder]", True, True),
        ("warning", "A valid external Instance reference no longer exists: the device was lost", True, True),
        ("warning", "WebGPU: too many warnings, no more will be reported; invalid", True, True),
        ("error", "Failed to load resource: 404", False, True),
        ("uncaught", "ReferenceError: x is not defined", False, True),
        ("crash", "the page crashed", False, True),
    ],
)
def test_messages(kind: MessageKind, text: str, gpu: bool, bad: bool) -> None:
    message = ConsoleMessage(kind, text, "")
    assert (message.is_gpu_error, message.is_error) == (gpu, bad)


def test_errors_are_told_once() -> None:
    message = ConsoleMessage("error", "boom", "")
    assert Console([message, message, ConsoleMessage("log", "fine", "")]).errors == [message]
