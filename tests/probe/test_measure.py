"""What is measured again on a fresh engine, and what is no valid case."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from webbuild.ortweb.result_journal import Journal
from webbuild.probe.browser_harness import ProbeHarness, ProbeResponse
from webbuild.probe.measure import measure_probes
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.probe_model import Array, Probe, make_probe
from webbuild.probe.record import ProbeRecord

PROBE = make_probe("Relu", np.ones((2, 3), np.float32))
HUNG = ProbeResponse("hang", "no answer in 60 s")
FAILED = ProbeResponse("run", 'running Relu node. Error: "[Relu] n" failed')
MISFIT = ProbeResponse("run", 'Kernel "[Relu] n" failed. Error: Uniform variable 6 mismatch')


class Page:
    """Returns the given responses in order, and records for each call whether a fresh engine was requested."""

    def __init__(self, answers: Sequence[ProbeResponse]) -> None:
        self.left, self.fresh = list(answers), list[bool]()

    def measure(self, probes: Sequence[Probe], *, fresh: bool = False) -> list[ProbeResponse]:
        self.fresh.append(fresh)
        return [self.left.pop(0) for _ in probes]


class Reference:
    """Returns ones without running the model."""

    def run(self, probe: Probe) -> dict[str, Array]:
        return {"y0": np.ones((2, 3), np.float32)}


def measured(page: Page, file: Path) -> ProbeRecord:
    journal = Journal(ProbeRecord, file, resume=False)
    measure_probes(cast("ProbeHarness", page), cast("NativeProcess", Reference()), journal, [PROBE], lambda _: None)
    return journal.records[PROBE.name]


def test_what_is_not_answered_in_time_is_asked_again_and_then_no_case(tmp_path: Path) -> None:
    page = Page([HUNG, HUNG])
    line = measured(page, tmp_path / "journal")
    assert (line.case, line.reason, page.fresh) == (None, "no answer in 60 s", [False, True])


def test_what_is_answered_the_second_time_is_a_case(tmp_path: Path) -> None:
    line = measured(Page([HUNG, FAILED]), tmp_path / "journal")
    assert line.case is not None
    assert (line.case.outcome, line.reason) == ("throws", "")


@pytest.mark.parametrize(("answer", "times"), [(FAILED, 1), (MISFIT, 2)])
def test_an_error_that_an_earlier_probe_may_have_made_is_measured_again(
    answer: ProbeResponse, times: int, tmp_path: Path
) -> None:
    page = Page([answer] * 2)
    line = measured(page, tmp_path / "journal")
    assert line.case is not None
    assert line.case.outcome == "throws"
    assert len(page.fresh) == times
