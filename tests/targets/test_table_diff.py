"""The differences between two tables."""

from __future__ import annotations

import msgspec

from webbuild.targets.table import KernelPlacements, KernelTable, MeasuredCase
from webbuild.targets.table_diff import TableChange, diff_tables
from webbuild.targets.target import Target

CASE = MeasuredCase(name="pad/wrap", op="Pad", opset=19, dtype="float", outcome="gpu")


def made(kernels: KernelPlacements, cases: list[MeasuredCase]) -> KernelTable:
    return KernelTable(target=Target("1.0", "wasm"), measured="", adapter="", browser="", kernels=kernels, cases=cases)


BEFORE = made({"Abs": {"6": {"gpu": ["float"], "cpu": ["int32", "int64"]}}}, [CASE])


def test_a_table_is_no_different_from_itself() -> None:
    assert list(diff_tables(BEFORE, BEFORE)) == []


def test_what_moved_what_is_new_and_what_is_gone() -> None:
    kernels: KernelPlacements = {"Abs": {"6": {"gpu": ["float", "int32"]}, "13": {"none": ["bfloat16"]}}}
    after = made(kernels, [msgspec.structs.replace(CASE, outcome="wrong")])
    assert list(diff_tables(BEFORE, after)) == [
        TableChange("Abs 13 bfloat16", "", "none"),
        TableChange("Abs 6 int32", "cpu", "gpu"),
        TableChange("Abs 6 int64", "cpu", ""),
        TableChange("pad/wrap", "gpu", "wrong"),
    ]


def test_a_change_in_words() -> None:
    assert str(TableChange("Abs 6 int64", "cpu", "")) == "Abs 6 int64: cpu -> not measured"
