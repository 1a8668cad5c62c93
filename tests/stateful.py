"""Small models with state, made from text."""

from __future__ import annotations

import onnx

from tests.models import HEADER, parsed, weights

GRU = f"""{HEADER}
cell (float[1,8] x, float[1,4] state) => (float[1,2] y, float[1,4] stateN)
{{
  seen = MatMul (x, w)
  before = MatMul (state, u)
  sum = Add (seen, before)
  stateN = Tanh (sum)
  y = MatMul (stateN, v)
}}"""
"""A recurrent cell: [1, 8] and [1, 4] to [1, 2]."""

MATTING = f"""{HEADER}
matting (float[1,3,h,w] src, float[b1,c1,h1,w1] r1i, float[b2,c2,h2,w2] r2i, float[1] downsample_ratio)
  => (float[1,3,h,w] fgr, float[1,1,h,w] pha, float[p1,q1,s1,t1] r1o, float[p2,q2,s2,t2] r2o)
<float half = {{0.5}}, float[4] scales = {{1.0, 1.0, 2.0, 2.0}}>
{{
  a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (src, down1)
  shape1 = Shape (a)
  before1 = Expand (r1i, shape1)
  keep1 = Mul (before1, half)
  sum1 = Add (a, keep1)
  r1o = Tanh (sum1)
  b = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (r1o, down2)
  shape2 = Shape (b)
  before2 = Expand (r2i, shape2)
  keep2 = Mul (before2, half)
  sum2 = Add (b, keep2)
  r2o = Tanh (sum2)
  up = Resize <mode = "nearest"> (r2o, , scales)
  both = Concat <axis = 1> (r1o, up)
  out = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (both, head)
  full = Resize <mode = "nearest"> (out, , scales)
  ratio = Mul (full, downsample_ratio)
  answer = Sigmoid (ratio)
  fgr, pha = Split <axis = 1> (answer, parts)
}}"""
"""A matting network whose states are broadcast from [1, 1, 1, 1], as in RVM."""

SCALED = f"""{HEADER}
matting (float[1,3,h,w] src, float[b1,c1,h1,w1] r1i, float[1] downsample_ratio)
  => (float[1,1,h,w] pha, float[p1,q1,s1,t1] r1o)
<float half = {{0.5}}, float[2] ones = {{1.0, 1.0}}>
{{
  scales = Concat <axis = 0> (ones, downsample_ratio, downsample_ratio)
  small = Resize <mode = "linear"> (src, , scales)
  a = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (small, down1)
  shape1 = Shape (a)
  before1 = Expand (r1i, shape1)
  keep1 = Mul (before1, half)
  sum1 = Add (a, keep1)
  r1o = Tanh (sum1)
  out = Conv <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (r1o, head1)
  size = Shape <start = 2> (src)
  batch = Shape <end = 1> (src)
  whole = Concat <axis = 0> (batch, one, size)
  full = Resize <mode = "linear"> (out, , , whole)
  pha = Sigmoid (full)
}}"""
"""Matting on a downsampled image, by a factor that is an input, as in RVM's ONNX export."""

VOICE = f"""{HEADER}
voice (float[1,64] input, float[2,1,16] state, int64 sr) => (float[1,1] output, float[2,1,16] stateN)
<int64 rate = {{16000}}, int64[1] first = {{0}}, int64[3] flat = {{1, 1, 16}}>
{{
  fast = Equal (sr, rate)
  gain = Where (fast, loud, quiet)
  heard = Mul (input, gain)
  seen = MatMul (heard, w)
  seen3 = Reshape (seen, flat)
  h, c = Split <axis = 0> (state, halves)
  before = MatMul (h, u)
  gate = Add (seen3, before)
  open = Sigmoid (gate)
  new = Tanh (gate)
  kept = Mul (c, forget)
  added = Mul (open, new)
  cell = Add (kept, added)
  shown = Tanh (cell)
  hidden = Mul (open, shown)
  stateN = Concat <axis = 0> (hidden, cell)
  row = Squeeze (hidden, first)
  score = MatMul (row, v)
  output = Sigmoid (score)
}}"""
"""A voice activity detector: frames of 64 samples, a state of two rows, and a sample rate."""

CACHE = f"""{HEADER}
text (float[1,new,8] x, float[1,past,8] past_key) => (float[1,new,8] y, float[1,total,8] present_key)
{{
  present_key = Concat <axis = 1> (past_key, x)
  keys = Transpose <perm = [0, 2, 1]> (present_key)
  scores = MatMul (x, keys)
  y = MatMul (scores, present_key)
}}"""
"""Attention over all previous steps: its cache grows."""

WINDOW = f"""{HEADER}
window (float[1,1,16] x, float[1,4,16] buffer) => (float[1,16] y, float[1,4,16] next_buffer)
<int64[1] one = {{1}}, int64[1] five = {{5}}, int64[1] axis = {{1}}>
{{
  all = Concat <axis = 1> (buffer, x)
  next_buffer = Slice (all, one, five, axis)
  y = ReduceMean <keepdims = 0> (all, axis)
}}"""
"""The mean of the last five rows, four of which are the state."""

AVERAGE = f"""{HEADER}
average (float[1,6] x, float[1,6] before) => (float[1,6] y)
<float keep = {{0.9}}, float part = {{0.1}}>
{{
  old = Mul (before, keep)
  new = Mul (x, part)
  y = Add (old, new)
}}"""
"""A moving average whose only output is also the state."""

_WEIGHTS: dict[str, dict[str, tuple[int, ...]]] = {
    GRU: {"w": (8, 4), "u": (4, 4), "v": (4, 2)},
    MATTING: {"down1": (4, 3, 3, 3), "down2": (6, 4, 3, 3), "head": (4, 10, 3, 3)},
    SCALED: {"down1": (4, 3, 3, 3), "head1": (1, 4, 3, 3)},
    VOICE: {"w": (64, 16), "u": (16, 16), "v": (16, 1), "forget": (1, 1, 16)},
}
_INT64 = {"parts": [3, 1], "halves": [1, 1], "one": [1]}
_FLOATS = {"loud": 1.0, "quiet": 0.5}


def stateful(text: str) -> onnx.ModelProto:
    """Return a model from a text with random weights."""
    model = parsed(text)
    named = {name: weights(*shape, seed=at) / 3 for at, (name, shape) in enumerate(_WEIGHTS.get(text, {}).items())}
    given = {each.name for each in model.graph.initializer}
    read = {name for node in model.graph.node for name in node.input}
    arrays = [onnx.numpy_helper.from_array(array, name) for name, array in named.items()]
    arrays += [onnx.helper.make_tensor(name, 7, [len(v)], v) for name, v in _INT64.items() if name in read - given]
    arrays += [onnx.helper.make_tensor(name, 1, [], [v]) for name, v in _FLOATS.items() if name in read]
    model.graph.initializer.extend(arrays)
    onnx.checker.check_model(model)
    return model
