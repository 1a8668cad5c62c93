"""The record of a probe in the journal."""

from __future__ import annotations

from msgspec import Struct

from webbuild.ortweb.result_journal import Journal, hash_values
from webbuild.probe.probe_model import Probe
from webbuild.runners.content_hash import hash_tensors
from webbuild.targets.table import KernelPlacement, MeasuredCase


class ProbeRecord(Struct, frozen=True, omit_defaults=True):
    """The result of a probe: a placement, a case, or the reason why there is none.

    Reasons are that native ONNX Runtime refuses the model, or that the page timed out. `digest` identifies the probe:
    a result for another model or other inputs is not reused.
    """

    name: str
    digest: str = ""
    placement: KernelPlacement | None = None
    case: MeasuredCase | None = None
    reason: str = ""


def is_measured(probe: Probe, journal: Journal[ProbeRecord]) -> bool:
    """Return whether a journal has a record of exactly this probe."""
    record = journal.records.get(probe.name)
    return record is not None and record.digest == probe_digest(probe)


def probe_digest(probe: Probe) -> str:
    """Return a hash of a probe's model and inputs, which distinguishes it from others of the same name."""
    return hash_values(probe.model, hash_tensors(probe.feeds))
