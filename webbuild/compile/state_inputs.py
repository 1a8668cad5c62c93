"""State inputs of a recurrent model, with the types and shapes of its graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from webbuild.errors import WebbuildError
from webbuild.manifest.manifest import Input, StateInput
from webbuild.model.read_signature import read_signature
from webbuild.model.states import StatePair, describe_spec
from webbuild.tasks.recognition.tensor_inputs import tensor_input_spec
from webbuild.tasks.task_match import TaskMatch

if TYPE_CHECKING:
    import onnx_ir as ir


def with_state_inputs(match: TaskMatch, states: tuple[StatePair, ...], graph: ir.Model) -> TaskMatch:
    """Return the match with its state inputs added, in the order of the graph's inputs.

    Raises:
        WebbuildError: `state-mismatch` if the type or shape of a state and its output differ in the graph.
    """
    if not states:
        return match
    signature = read_signature("", graph)
    facts, outputs = ({spec.name: spec for spec in specs} for specs in (signature.inputs, signature.outputs))
    known: dict[str, Input] = {spec.name: spec for spec in match.inputs}
    for pair in states:
        spec, next_value = tensor_input_spec(facts[pair.input]), outputs[pair.output]
        if (next_value.dtype, list(next_value.shape)) != (spec.dtype, spec.shape):
            raise WebbuildError(
                "state-mismatch",
                f"state '{pair.input}' is {describe_spec(facts[pair.input])} in the patched graph, and output "
                f"'{pair.output}', the state of the next run, is {describe_spec(next_value)}",
                "give --state none, which packs the model without states, and report the model",
            )
        known[pair.input] = StateInput(name=spec.name, dtype=spec.dtype, shape=spec.shape, output=pair.output)
    inputs = tuple(known[name] for name in facts if name in known)
    return msgspec.structs.replace(match, inputs=inputs)
