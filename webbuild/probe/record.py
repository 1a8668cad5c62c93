"""The record of a probe in the journal."""

from __future__ import annotations

from msgspec import Struct

from webbuild.ortweb.result_journal import Journal, hash_values
from webbuild.probe.probe_model import Probe
from webbuild.runners.content_hash import hash_tensors
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


def is_measured(probe: Probe, journal: Journal[ProbeRecord]) -> bool:
    """Return whether a journal has this very probe."""
    record = journal.records.get(probe.name)
    return record is not None and record.digest == probe_digest(probe)


def probe_digest(probe: Probe) -> str:
    """Return what tells a probe from others of its name: a hash of its model and of what it is fed."""
    return hash_values(probe.model, hash_tensors(probe.feeds))
