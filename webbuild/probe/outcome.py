"""Converts a page's response to a case of a kernel table."""

from __future__ import annotations

import re

from webbuild.errors import printable
from webbuild.ortweb.placement_log import slowest_placement
from webbuild.probe.browser_harness import ProbeResponse
from webbuild.probe.compare_output import Mismatch, compare_output
from webbuild.probe.probe_model import Array, Probe
from webbuild.targets.table import MeasuredCase, Outcome

_MAX_MESSAGE = 240
_NOISE = re.compile(
    r"\x1b\[[0-9;]*m|Can't create a session\. |failed to call OrtRun\(\)\. |ERROR_CODE: \d+, |ERROR_MESSAGE: |"
    r"Non-zero status code returned while running \w+ node\. Name:'\w*' Status Message: |"
    r"/\S*/onnxruntime/(?=\S+:\d+)|\bhttps?://\S+"
)


def case_from_response(probe: Probe, answer: ProbeResponse, reference: dict[str, Array]) -> MeasuredCase:
    """Return the case of a probe: its outcome and message."""
    placement, cpu = slowest_placement(answer.log)
    if answer.stage:
        outcome: Outcome = "no-session" if answer.stage == "create" else "throws"
        return _build_case(probe, outcome, answer.subgroups, Mismatch(shorten_message(answer.shader or answer.error)))
    if placement is None:
        return _build_case(probe, "throws", answer.subgroups, Mismatch("the engine did not say where its nodes run"))
    fault = next(filter(None, (_find_mismatch(probe, answer, name, want) for name, want in reference.items())), None)
    if fault is not None:
        where = "" if placement == "gpu" else ", computed on the CPU"
        return _build_case(probe, "wrong", answer.subgroups, Mismatch(fault.message + where, fault.error))
    on_cpu = [op for op in cpu if op != probe.op.rpartition(":")[2]]
    return _build_case(
        probe,
        "gpu" if placement == "gpu" else "cpu",
        answer.subgroups,
        Mismatch(f"{', '.join(dict.fromkeys(on_cpu))} on the CPU" if on_cpu else ""),
    )


def _build_case(probe: Probe, outcome: Outcome, subgroups: bool, fault: Mismatch) -> MeasuredCase:
    """Return the case of a probe; its inputs are recorded only if it failed."""
    passed = outcome in ("gpu", "cpu")
    return MeasuredCase(
        name=probe.name,
        op=probe.op,
        opset=probe.opset,
        dtype=probe.dtype,
        outcome=outcome,
        message=fault.message,
        error=None if fault.error is None else float(f"{fault.error:.3g}"),
        attributes={} if passed else probe.attributes or {},
        inputs=[] if passed else list(probe.inputs),
        subgroups=subgroups,
    )


def shorten_message(message: str) -> str:
    """Return an error message on one line, without ONNX Runtime's prefixes."""
    return printable(" ".join(_NOISE.sub("", message).split()), _MAX_MESSAGE)


def _find_mismatch(probe: Probe, answer: ProbeResponse, name: str, want: Array) -> Mismatch | None:
    got = answer.outputs.get(name)
    try:
        return compare_output(name, None if got is None else got.array(), want, probe.slack)
    except ValueError:
        return Mismatch(f"{name} does not hold as many elements as its shape says")
