"""The operator schemas of older opsets."""

from __future__ import annotations

from webbuild.targets.older_schema import older_schema


def test_a_version_that_only_takes_more_types_has_the_same_form() -> None:
    form = older_schema("MaxPool", 22, 21)
    assert form is not None
    assert form.steps == (22,)
    assert form.added_attributes == {}
    assert "tensor(float)" in form.input_types[0]
    assert "tensor(bfloat16)" not in form.input_types[0]


def test_attributes_that_were_added_are_known_with_their_defaults() -> None:
    form = older_schema("Cast", 25, 13)
    assert form is not None
    assert form.added_attributes == {"saturate": 1, "round_mode": "up"}
    assert form.steps == (25, 24, 23, 21, 19)


def test_inputs_that_were_added_are_counted() -> None:
    form = older_schema("Pad", 18, 17)
    assert form is not None
    assert form.inputs == 3


def test_another_form_is_none() -> None:
    assert older_schema("ReduceSum", 13, 12) is None
    assert older_schema("DFT", 20, 19) is None
    assert older_schema("Gelu", 20, 19) is None
    assert older_schema("NoSuchOperator", 20, 19) is None
