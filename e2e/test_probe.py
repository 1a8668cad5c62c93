"""Measuring a build of the engine in Chromium: each way in which a probe can end, and a page that does not last."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
import pytest
from playwright.sync_api import Error

from e2e.conftest import Webbuild
from webbuild import assets
from webbuild.browser.chromium import Chromium
from webbuild.probe.engine import engine
from webbuild.probe.journal import Journal
from webbuild.probe.lab import Lab, lab
from webbuild.probe.measure import measure
from webbuild.probe.native import Native
from webbuild.probe.node import Probe, int64, node
from webbuild.probe.sweep import sweep
from webbuild.targets.table import Case, Table
from webbuild.targets.target import Target

X = np.arange(12, dtype=np.float32).reshape(4, 3)
WIDE, LOW = np.ones((3, 5), bool), np.ones((3, 1), bool)

ENDS = {
    "gpu": node("t/Relu", "Relu", X),
    "cpu": node("t/Mod", "Mod", X.astype(np.int64), np.array(2), fmod=1),
    "no-session": node("t/Relu double", "Relu", X.astype(np.float64)),
    "throws": node("t/Where bool", "Where", LOW, WIDE, WIDE[:1]),
    "wrong": node("t/Slice", "Slice", X, int64(2), int64(0), int64(0), int64(-1)),
}
REFUSED = node("t/Pad", "Pad", X, int64(9, 0, 0, 0), mode="reflect")


@pytest.fixture(scope="module")
def page(with_gpu: Chromium, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab(with_gpu, engine(Target(assets.engine_version(), "webgpu"), tmp_path_factory.mktemp("cache"))) as made:
        made.adapter()  # its absence is an error, never a skipped test
        yield made


@pytest.fixture(scope="module")
def native() -> Iterator[Native]:
    with Native() as made:
        yield made


def cases(page: Lab, native: Native, file: Path, probes: list[Probe]) -> dict[str, Case | None]:
    journal = Journal(file, resume=True)
    measure(page, native, journal, probes, lambda _: None)
    return {line.name: line.case for line in journal.lines.values()}


def test_every_end(page: Lab, native: Native, tmp_path: Path) -> None:
    found = cases(page, native, tmp_path / "journal", [REFUSED, *ENDS.values()])
    assert found.pop(REFUSED.name) is None
    ended = {case.what: case.outcome for case in found.values() if case is not None}
    assert ended == {probe.name: end for end, probe in ENDS.items()}
    wrong, throws = found["t/Slice"], found["t/Where bool"]
    assert wrong is not None and wrong.error == 3  # noqa: PT018
    assert throws is not None and 'ShaderModule "Where"' in throws.message  # noqa: PT018


def test_what_was_measured_is_not_measured_again(page: Lab, native: Native, tmp_path: Path) -> None:
    file = tmp_path / "journal"
    first = cases(page, native, file, [ENDS["gpu"]])
    other = msgspec.structs.replace(first["t/Relu"] or pytest.fail("no case"), message="kept")
    file.write_bytes(file.read_bytes().replace(b'"outcome":"gpu"', b'"outcome":"gpu","message":"kept"'))
    again = cases(page, native, file, [ENDS["gpu"], ENDS["wrong"]])
    assert again["t/Relu"] == other
    assert again["t/Slice"] is not None


def test_a_crash_of_the_page_is_survived(page: Lab, native: Native, tmp_path: Path) -> None:
    assert [answer.stage for answer in page.measure([ENDS["gpu"]])] == [""]
    with suppress(Error):
        page._open().goto("chrome://crash")
    found = cases(page, native, tmp_path / "journal", [ENDS["gpu"], ENDS["wrong"]])
    assert [case.outcome for case in found.values() if case] == ["gpu", "wrong"]


def test_a_probe_that_takes_too_long_is_ended(with_gpu: Chromium, tmp_path: Path) -> None:
    build = engine(Target(assets.engine_version(), "wasm"), tmp_path)
    with lab(with_gpu, build, seconds=0) as page:
        (answer,) = page.measure([ENDS["gpu"]])
    assert (answer.stage, answer.error) == ("hang", "no answer in 0 s")


def test_a_placement(page: Lab, native: Native, tmp_path: Path) -> None:
    probes = {each.dtype: each.probe for each in sweep() if (each.probe.op, each.since) == ("Add", 7)}
    journal = Journal(tmp_path / "journal", resume=False)
    measure(page, native, journal, list(probes.values()), lambda _: None)
    places = {dtype: journal.lines[probe.name].place for dtype, probe in probes.items()}
    assert (places["float"], places["int64"], places["double"]) == ("gpu", "cpu", "none")


def test_the_command_writes_a_table(webbuild: Webbuild, with_gpu: Chromium, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    done = webbuild("probe", "--build", "wasm", "--only", "cast", "--out", file)
    assert done.returncode == 0, done.stderr
    table = msgspec.json.decode(file.read_bytes(), type=Table)
    assert table.target == Target(assets.engine_version(), "wasm")
    assert table.adapter == "none"
    differing = {"cast/float to int32, too large", "cast/float to uint8, outside"}  # from native, and from nothing else
    assert {case.what: case.outcome for case in table.cases} == dict.fromkeys(differing, "wrong")
