"""From a page's answer to a case of a table."""

from __future__ import annotations

import re

from webbuild.errors import printable
from webbuild.probe.judge import Fault, judge
from webbuild.probe.lab import Answer
from webbuild.probe.node import Array, Probe
from webbuild.probe.placed import placed
from webbuild.targets.table import Case, Outcome

_LONGEST = 240
_NOISE = re.compile(
    r"\x1b\[[0-9;]*m|Can't create a session\. |failed to call OrtRun\(\)\. |ERROR_CODE: \d+, |ERROR_MESSAGE: |"
    r"Non-zero status code returned while running \w+ node\. Name:'\w*' Status Message: |"
    r"/\S*/onnxruntime/(?=\S+:\d+)|\bhttps?://\S+"
)


def verdict(probe: Probe, answer: Answer, reference: dict[str, Array]) -> Case:
    """Return how a probe ended."""
    place, cpu = placed(answer.log)
    if answer.stage:
        outcome: Outcome = "no-session" if answer.stage == "create" else "throws"
        return case(probe, outcome, Fault(shortened(answer.error)))
    if place is None:
        return case(probe, "throws", Fault("the engine did not say where its nodes run"))
    fault = next(filter(None, (_fault(probe, answer, name, want) for name, want in reference.items())), None)
    if fault is not None:
        where = "" if place == "gpu" else ", computed on the CPU"
        return case(probe, "wrong", Fault(fault.message + where, fault.error))
    on_cpu = [op for op in cpu if op != probe.op.rpartition(":")[2]]
    return case(
        probe,
        "gpu" if place == "gpu" else "cpu",
        Fault(f"{', '.join(dict.fromkeys(on_cpu))} on the CPU" if on_cpu else ""),
    )


def case(probe: Probe, outcome: Outcome, fault: Fault) -> Case:
    """Return the case of a probe; what it was given is told where that is of use: it went wrong."""
    well = outcome in ("gpu", "cpu")
    return Case(
        what=probe.name,
        op=probe.op,
        opset=probe.opset,
        dtype=probe.dtype,
        outcome=outcome,
        message=fault.message,
        error=None if fault.error is None else float(f"{fault.error:.3g}"),
        attributes={} if well else probe.attributes or {},
        inputs=[] if well else list(probe.inputs),
    )


def shortened(message: str) -> str:
    """Return what was thrown without its wrapping, on one line."""
    return printable(" ".join(_NOISE.sub("", message).split()), _LONGEST)


def _fault(probe: Probe, answer: Answer, name: str, want: Array) -> Fault | None:
    held = answer.outputs.get(name)
    try:
        return judge(name, None if held is None else held.array(), want, probe.slack)
    except ValueError:
        return Fault(f"{name} does not hold as many elements as its shape says")
