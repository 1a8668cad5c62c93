"""Console messages of a page and its workers, uncaught errors, and crashes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Page

MessageKind = Literal["log", "warning", "error", "uncaught", "crash"]

_GPU_ERROR = re.compile(
    r"WebGPU.*(error|invalid|lost)|Uncaptured|\[Invalid \w+|GPU(Validation|OutOfMemory|Internal)Error|"
    r"While (calling|encoding|validating) \[|[Dd]evice (was|is) lost|Error while parsing WGSL",
)


@dataclass(frozen=True)
class ConsoleMessage:
    """One message; `location` is the worker's or the page's address."""

    kind: MessageKind
    text: str
    location: str

    @property
    def is_gpu_error(self) -> bool:
        """Whether this is a GPU error. Chromium prints validation errors as warnings."""
        return self.kind in ("warning", "error") and _GPU_ERROR.search(self.text) is not None

    @property
    def is_error(self) -> bool:
        """Whether this message means that the page failed."""
        return self.kind in ("error", "uncaught", "crash") or self.is_gpu_error


@dataclass
class Console:
    """The messages of a page so far, in order."""

    messages: list[ConsoleMessage] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Record the messages of `page` from now on."""

        def add(kind: MessageKind, text: str, where: str) -> None:
            self.messages.append(ConsoleMessage(kind, text, where))

        page.on("console", lambda m: add(_message_kind(m.type), m.text, m.worker.url if m.worker else page.url))
        page.on("pageerror", lambda error: add("uncaught", str(error), page.url))
        page.on("crash", lambda _: add("crash", "the page crashed", page.url))

    @property
    def complaints(self) -> list[ConsoleMessage]:
        """Errors and warnings; a page without a problem prints none."""
        return [message for message in self.messages if message.kind != "log"]

    @property
    def errors(self) -> list[ConsoleMessage]:
        """The messages that mean that the page failed, without duplicates."""
        return list(dict.fromkeys(message for message in self.messages if message.is_error))


def _message_kind(type_: str) -> MessageKind:
    match type_:
        case "error" | "assert":
            return "error"
        case "warning":
            return "warning"
        case _:
            return "log"
