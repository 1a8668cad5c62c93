"""What was measured so far, on disk, so that a measurement can go on where it was interrupted."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.probe.probe_model import Probe
from webbuild.targets.table import KernelPlacement, MeasuredCase


class ProbeRecord(Struct, frozen=True, omit_defaults=True):
    """One result: of a sweep a placement, of a case its case, or why there is none.

    Native ONNX Runtime refuses it, or the page did not answer in time.
    `digest` is the probe's: a result of another model or other numbers is no result of this one.
    """

    name: str
    digest: str = ""
    placement: KernelPlacement | None = None
    case: MeasuredCase | None = None
    reason: str = ""


class ProbeJournal:
    """Results by name of the probe, each on a line of a file.

    Args:
        file: where they are kept; its folder is made.
        resume: keep what is there; otherwise start over.
    """

    def __init__(self, file: Path, *, resume: bool) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self.lines: dict[str, ProbeRecord] = {line.name: line for line in _read(file)} if resume else {}
        whole = b"".join(msgspec.json.encode(line) + b"\n" for line in self.lines.values())
        file.write_bytes(whole)  # without the half line that an interruption may have left

    def has(self, probe: Probe) -> bool:
        """Return whether this very probe was measured."""
        line = self.lines.get(probe.name)
        return line is not None and line.digest == probe_digest(probe)

    def add(self, lines: list[ProbeRecord]) -> None:
        """Keep results, at once."""
        self.lines |= {line.name: line for line in lines}
        with self._file.open("ab") as stream:
            stream.write(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))

    def delete(self) -> None:
        """Remove the file: the measurement is complete."""
        self._file.unlink(missing_ok=True)


def probe_digest(probe: Probe) -> str:
    """Return what tells a probe from others of its name: a checksum of its model and of what it is fed."""
    sum_ = zlib.crc32(probe.model)
    for name, value in sorted(probe.feeds.items()):
        sum_ = zlib.crc32(value.tobytes(), zlib.crc32(f"{name} {value.dtype} {value.shape}".encode(), sum_))
    return f"{sum_:08x}"


def _read(file: Path) -> list[ProbeRecord]:
    if not file.is_file():
        return []
    found = []
    for line in file.read_bytes().splitlines():
        try:
            found.append(msgspec.json.decode(line, type=ProbeRecord))
        except msgspec.DecodeError:
            break
    return found
