"""Inferred shapes, compared with the shapes that exporters declare."""

from __future__ import annotations

import onnx_ir as ir

from webbuild.passes.analysis.shape_inference import infer_shapes
from webbuild.passes.base import Pass, PassOptions, Rewrite
from webbuild.passes.lower import lower


def test_what_is_inferred_of_an_output_is_believed_before_what_was_declared() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,3] x) => (float[2,1] y, float[2,n] z) { y = Neg (x)  z = Abs (x) }""")
    infer_shapes(model)
    assert [list(output.shape or ()) for output in model.graph.outputs] == [[2, 3], [2, 3]]


def test_an_output_has_as_many_dimensions_as_are_inferred() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[8,6] x) => (float[1,n] y) <int64[3] size = {8, 1, -1}> { y = Reshape (x, size) }""")
    infer_shapes(model)
    assert list(model.graph.outputs[0].shape or ()) == [8, 1, 6]


def test_a_batch_that_names_another_dimension_of_an_output_gives_it_no_size() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[N,3] x) => (float[N,3,N] boxes) <int64[1] two = {2}, int64[3] four = {1, 1, 4}>
    { a = Unsqueeze (x, two)  b = Shape (four)  c = Expand (four, b)  boxes = Tile (a, c) }""")
    (boxes,) = lower(model, PassOptions(dims={"x:0": 1})).graphs["wasm"].graph.outputs
    assert list(boxes.shape or ()) == [1, 3, 4]


def test_what_cannot_be_inferred_stays_as_it_was_declared() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[6] x, int64[2] size) => (float[2,3] y) { y = Reshape (x, size) }""")
    infer_shapes(model)
    assert list(model.graph.outputs[0].shape or ()) == [2, 3]


def test_a_quantized_lstm_has_the_shapes_of_a_plain_one() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[5,1,3] x, int8[2,3,16] w, int8[2,4,16] r, float[2] s, int8[2] z) => (float[a,b,c,d] y, float[e,f,g] last) {
      y, last = com.microsoft.DynamicQuantizeLSTM <direction = "bidirectional", hidden_size = 4> (
        x, w, r, , , , , , s, z, s, z) }""")
    infer_shapes(model)
    assert [list(output.shape or ()) for output in model.graph.outputs] == [[5, 2, 1, 4], [2, 1, 4]]


BRANCHES = """<ir_version: 8, opset_import: ["" : 17]>
g (bool cached, float[1,tokens] x, float[1,past] cache) => (float[1,past_1] y) {
  y = If (cached) <
    then_branch = cached_tokens () => (float[1,a] longer) {
      both = Concat <axis = 1> (cache, x) size = Shape (both) like = ConstantOfShape (size)
      longer = Add (both, like) },
    else_branch = tokens () => (float[1,b] longer) {
      both = Neg (x) size = Shape (both) like = ConstantOfShape (size)
      longer = Add (both, like) }
  > }"""


def test_branches_with_the_same_names_have_their_own_sizes() -> None:
    """Optimum joins a decoder without and one with a cache: all names of one are in the other."""
    model = ir.from_onnx_text(BRANCHES.replace("past_1", '"past + 1"'))
    (y,) = lower(model, PassOptions(dims={"tokens": 3, "past": 2})).graphs["wasm"].graph.outputs
    choice = y.producer()
    assert choice is not None
    branches = [choice.attributes[name].as_graph() for name in ("then_branch", "else_branch")]
    assert [list(branch.outputs[0].shape or ()) for branch in branches] == [[1, 5], [1, 3]]
    assert y.shape is not None
    assert not isinstance(y.shape[1], int), "the size that is declared is that of neither"


class Looked(Pass):
    """Changes nothing, and counts its calls."""

    code = "looked"
    times = 0

    def apply(self, model: ir.Model, options: PassOptions) -> list[Rewrite]:
        self.times += 1
        return []


def test_a_pass_that_found_nothing_looks_again_where_another_shape_was_inferred() -> None:
    model = ir.from_onnx_text("""<ir_version: 8, opset_import: ["" : 17]>
    g (float[n,3] x) => (float[n,3] y) { a = Neg (x)  y = Abs (a) }""")
    looked = Looked()
    infer_shapes(model)
    for _ in range(2):
        looked(model)
    assert looked.times == 1
    infer_shapes(model)
    looked(model)
    assert looked.times == 1
    model.graph.inputs[0].shape = ir.Shape([2, 3])
    infer_shapes(model)
    looked(model)
    assert looked.times == 2
