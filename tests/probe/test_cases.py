"""Every case is a valid model that native ONNX Runtime or ONNX's reference runs, except the listed refusals."""

from __future__ import annotations

import onnx
import pytest

from webbuild.probe.native_process import reference_outputs
from webbuild.probe.probe_model import Probe
from webbuild.probe.random_data import RandomData
from webbuild.probe.registry import families, family_probes

REFUSED = (
    "pad/reflect beyond the size",
    "resize/linear ",
    "resize/cubic ",
    "kernels/ReduceLogSum",
    "kernels/Resize 10 uint32",
)


@pytest.mark.parametrize("family", families())
def test_cases_are_valid_and_run(family: str) -> None:
    made = list(family_probes(family))
    assert len(made) > 10
    assert len({probe.name for probe in made}) == len(made)
    for probe in made:
        assert probe.name.startswith(f"{family}/")
        onnx.checker.check_model(shaped(probe))
        exact = probe.exact or probe
        outputs = reference_outputs(exact.model, exact.feeds)
        if isinstance(outputs, str):
            assert probe.name.removeprefix("float16/").startswith(REFUSED), f"{probe.name}: {outputs}"
        else:
            assert outputs


def shaped(probe: Probe) -> onnx.ModelProto:
    """The checker requires a shape for each output, but the kernel's output shape must not be assumed."""
    model = onnx.load_model_from_string(probe.model)
    for output in model.graph.output:
        output.type.tensor_type.shape.SetInParent()
    return model


def test_a_case_is_drawn_alike_every_time() -> None:
    assert (RandomData("a").floats(3) == RandomData("a").floats(3)).all()
    assert (RandomData("a").floats(3) != RandomData("b").floats(3)).all()
    assert [probe.model for probe in family_probes("gather")] == [probe.model for probe in family_probes("gather")]
