"""Measured differences between Firefox and Chromium: stored unchanged, for cases that are in the table."""

from __future__ import annotations

from importlib.resources import files

from webbuild.ortweb import packaged_assets
from webbuild.probe.registry import FEATURES
from webbuild.targets.browser_differences import encode_differences, load_differences
from webbuild.targets.table import load_table
from webbuild.targets.target import Target

ENGINE = Target(packaged_assets.engine_version(), "webgpu")


def test_the_packaged_engine_was_measured_in_firefox() -> None:
    found = load_differences(ENGINE, "firefox")
    assert found is not None
    assert (found.target, found.browser.split()[0], found.against.split()[0]) == (ENGINE, "Firefox", "Chromium")
    assert found.cases > 3_000
    known = {case.name for case in load_table(ENGINE).cases}
    other = [each for each in found.differences if each.case.name not in known]
    assert all(each.case.outcome != each.chromium for each in found.differences)
    assert {each.case.name.partition("/")[0] for each in other} == set(FEATURES), "no table has these families"
    assert found.left_out == []
    assert {case.name.partition("/")[0] for case in found.failing} <= set(FEATURES)
    assert {case.outcome for case in found.failing} <= {"throws", "wrong", "no-session"}
    assert len(found.subgroups) > 10
    file = files("webbuild.targets").joinpath("measured_kernels", "firefox", f"{ENGINE.name}.json")
    assert encode_differences(found) == file.read_bytes()


def test_a_browser_that_was_not_measured_has_none() -> None:
    assert load_differences(Target("1.0.0", "webgpu"), "firefox") is None
