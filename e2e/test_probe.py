"""Measuring an engine build in Chromium: each possible outcome of a probe, and a page that crashes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from playwright.sync_api import Error

from e2e.conftest import Webbuild
from webbuild.browser.chromium import BrowserHandle
from webbuild.ortweb import packaged_assets
from webbuild.ortweb.build import get_build
from webbuild.ortweb.result_journal import Journal
from webbuild.probe.browser_harness import ProbeHarness, open_harness
from webbuild.probe.kernel_sweep import kernel_probes
from webbuild.probe.measure import measure_probes
from webbuild.probe.native_process import NativeProcess
from webbuild.probe.probe_model import Probe, int64s, make_probe
from webbuild.probe.record import ProbeRecord
from webbuild.targets.table import KernelTable, MeasuredCase
from webbuild.targets.target import Target

X = np.arange(12, dtype=np.float32).reshape(4, 3)
WIDE, LOW = np.ones((3, 5), bool), np.ones((3, 1), bool)

ENDS = {
    "gpu": make_probe("Relu", X),
    "cpu": make_probe("Mod", X.astype(np.int64), np.array(2), fmod=1),
    "no-session": make_probe("Relu double", X.astype(np.float64)),
    "throws": make_probe("Where bool", LOW, WIDE, WIDE[:1]),
    "wrong": make_probe("Slice", X, int64s(2), int64s(0), int64s(0), int64s(-1)),
}
REFUSED = make_probe("Pad", X, int64s(9, 0, 0, 0), mode="reflect")


@pytest.fixture(scope="module")
def page(with_gpu: BrowserHandle, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProbeHarness]:
    with open_harness(
        with_gpu, get_build(Target(packaged_assets.engine_version(), "webgpu"), tmp_path_factory.mktemp("cache"))
    ) as made:
        made.adapter()  # its absence is an error, never a skipped test
        yield made


@pytest.fixture(scope="module")
def native() -> Iterator[NativeProcess]:
    with NativeProcess() as made:
        yield made


def cases(page: ProbeHarness, native: NativeProcess, file: Path, probes: list[Probe]) -> dict[str, MeasuredCase | None]:
    journal = Journal(ProbeRecord, file, resume=True)
    measure_probes(page, native, journal, probes, lambda _: None)
    return {line.name: line.case for line in journal.records.values()}


def test_every_end(page: ProbeHarness, native: NativeProcess, tmp_path: Path) -> None:
    found = cases(page, native, tmp_path / "journal", [REFUSED, *ENDS.values()])
    assert found.pop(REFUSED.name) is None
    ended = {case.name: case.outcome for case in found.values() if case is not None}
    assert ended == {probe.name: end for end, probe in ENDS.items()}
    wrong, throws = found["Slice"], found["Where bool"]
    assert wrong is not None and wrong.error == 3  # noqa: PT018
    assert throws is not None and "shader 'Where'" in throws.message  # noqa: PT018


def test_what_was_measured_is_not_measured_again(page: ProbeHarness, native: NativeProcess, tmp_path: Path) -> None:
    file = tmp_path / "journal"
    first = cases(page, native, file, [ENDS["gpu"]])
    other = msgspec.structs.replace(first["Relu"] or pytest.fail("no case"), message="kept")
    file.write_bytes(file.read_bytes().replace(b'"outcome":"gpu"', b'"outcome":"gpu","message":"kept"'))
    again = cases(page, native, file, [ENDS["gpu"], ENDS["wrong"]])
    assert again["Relu"] == other
    assert again["Slice"] is not None


def test_a_crash_of_the_page_is_survived(page: ProbeHarness, native: NativeProcess, tmp_path: Path) -> None:
    assert [answer.stage for answer in page.measure([ENDS["gpu"]])] == [""]
    with suppress(Error):
        page._page.open().goto("chrome://crash")
    found = cases(page, native, tmp_path / "journal", [ENDS["gpu"], ENDS["wrong"]])
    assert [case.outcome for case in found.values() if case] == ["gpu", "wrong"]


def test_a_probe_that_takes_too_long_is_ended(with_gpu: BrowserHandle, tmp_path: Path) -> None:
    build = get_build(Target(packaged_assets.engine_version(), "wasm"), tmp_path)
    with open_harness(with_gpu, build, seconds=0) as page:
        (answer,) = page.measure([ENDS["gpu"]])
    assert (answer.stage, answer.error) == ("hang", "no answer in 0 s")


def test_a_placement(page: ProbeHarness, native: NativeProcess, tmp_path: Path) -> None:
    probes = {each.dtype: each.probe for each in kernel_probes() if (each.probe.op, each.schema_version) == ("Add", 7)}
    journal = Journal(ProbeRecord, tmp_path / "journal", resume=False)
    measure_probes(page, native, journal, list(probes.values()), lambda _: None)
    places = {dtype: journal.records[probe.name].placement for dtype, probe in probes.items()}
    assert (places["float"], places["int64"], places["double"]) == ("gpu", "cpu", "none")


def test_the_command_writes_a_table(webbuild: Webbuild, with_gpu: BrowserHandle, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    done = webbuild("probe", "--build", "wasm", "--family", "cast", "--out", file)
    assert done.returncode == 0, done.stderr
    table = msgspec.json.decode(file.read_bytes(), type=KernelTable)
    assert table.target == Target(packaged_assets.engine_version(), "wasm")
    assert table.adapter == "none"
    differing = {"cast/float to int32, too large", "cast/float to uint8, outside"}  # from native ONNX Runtime only
    assert {case.name: case.outcome for case in table.cases} == dict.fromkeys(differing, "wrong")
