"""The type of a node's result."""

from __future__ import annotations

from webbuild.targets.result_type import result_type


def test_a_result_has_the_type_of_an_input_or_one_of_its_own() -> None:
    assert result_type("Add", 14) == 0
    assert result_type("Where", 16) == 1
    assert result_type("Equal", 13) == "bool"
    assert result_type("ArgMax", 13) == "int64"
    assert result_type("Cast", 13) is None
    assert result_type("NoSuchOperator", 13) is None
