"""Models of opsets older than the engine's first are read if their operators have not changed since."""

from __future__ import annotations

import onnx
import pytest

from tests import hostile
from webbuild.model.operator_support import OLDEST_OPSET
from webbuild.model.opset_upgrade import upgrade_opset


def model(operator: str, opset: int) -> onnx.ModelProto:
    helper = onnx.helper
    x, y = (helper.make_tensor_value_info(name, onnx.TensorProto.BOOL, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"])], "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


@pytest.mark.parametrize("opset", range(1, OLDEST_OPSET))
def test_an_operator_that_is_the_same_since(opset: int) -> None:
    made = model("Not", opset)
    assert upgrade_opset(made)
    assert made.opset_import[0].version == OLDEST_OPSET


@pytest.mark.parametrize(("operator", "opset"), [("Relu", 5), ("Dropout", 6), ("Nothing", 6), ("Not", 7), ("Not", -1)])
def test_what_has_changed_or_needs_it_not_stays(operator: str, opset: int) -> None:
    made = model(operator, opset)
    lifted = upgrade_opset(made)
    assert lifted is (operator == "Nothing")  # no version of it ever existed: `check_operators` reports it
    assert made.opset_import[0].version == (OLDEST_OPSET if lifted else opset)


def test_a_model_without_opsets_stays() -> None:
    made = hostile.without_opset()
    assert not upgrade_opset(made)
