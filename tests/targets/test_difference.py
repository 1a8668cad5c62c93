"""What differs between two tables."""

from __future__ import annotations

import msgspec

from webbuild.targets.difference import Change, difference
from webbuild.targets.table import Case, Kernels, Table
from webbuild.targets.target import Target

CASE = Case(what="pad/wrap", op="Pad", opset=19, dtype="float", outcome="gpu")


def made(kernels: Kernels, cases: list[Case]) -> Table:
    return Table(target=Target("1.0", "wasm"), measured="", adapter="", browser="", kernels=kernels, cases=cases)


BEFORE = made({"Abs": {"6": {"gpu": ["float"], "cpu": ["int32", "int64"]}}}, [CASE])


def test_a_table_is_no_different_from_itself() -> None:
    assert list(difference(BEFORE, BEFORE)) == []


def test_what_moved_what_is_new_and_what_is_gone() -> None:
    kernels: Kernels = {"Abs": {"6": {"gpu": ["float", "int32"]}, "13": {"none": ["bfloat16"]}}}
    after = made(kernels, [msgspec.structs.replace(CASE, outcome="wrong")])
    assert list(difference(BEFORE, after)) == [
        Change("Abs 13 bfloat16", "", "none"),
        Change("Abs 6 int32", "cpu", "gpu"),
        Change("Abs 6 int64", "cpu", ""),
        Change("pad/wrap", "gpu", "wrong"),
    ]


def test_a_change_in_words() -> None:
    assert str(Change("Abs 6 int64", "cpu", "")) == "Abs 6 int64: cpu -> not measured"
