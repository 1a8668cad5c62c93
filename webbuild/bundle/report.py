"""What `webbuild pack` did and proved, beside the model: report.json and report.html."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from webbuild.manifest import Generator, Manifest, Source, TargetName
from webbuild.passes._base import Edit
from webbuild.plan import Plan
from webbuild.prove import Proof
from webbuild.samples import Sample


class PackReport(Struct, frozen=True, rename="camel"):
    """Nothing in it depends on the machine or the time: the same model gives the same report."""

    generator: Generator
    source: Source
    assumptions: list[str]
    edits: dict[TargetName, tuple[Edit, ...]]
    proofs: list[Proof]

    @classmethod
    def of(cls, manifest: Manifest, planned: Plan, proofs: Sequence[Proof]) -> PackReport:
        """Gather the report's parts."""
        return cls(manifest.generator, manifest.source, manifest.assumptions, planned.edits, list(proofs))


def write_report(report: PackReport, samples: Sequence[Sample], folder: Path) -> None:
    """Write both files."""
    (folder / "report.json").write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n")
