"""Pages of the bisect codes for `webbuild explain`."""

from __future__ import annotations

EXPLANATIONS = {
    "node-mismatch": """A node's output differs, although its inputs are the reference's values.

Why: the kernel's result differs from native ONNX Runtime by more than the tolerance. The nodes before it are not the
cause, because its inputs are the reference's own values.

How: `webbuild bisect` writes three files:
- `repro.onnx`: the node with these inputs.
- `repro.html`: a page that shows the wanted and the actual values on your GPU.
- `issue.md`: a text for the issue tracker of the engine.

Until the engine is fixed, see whether `webbuild inspect` knows a rewrite, or run the node on the CPU with
`forceCpuNodeNames`.""",
    "node-throws": """A node throws in a session with this node alone.

Why: the kernel does not accept these attributes or shapes, or its shader does not compile.

How: `webbuild inspect` says whether the case is known, and which pass fixes it. `repro.onnx` has the node with its real
inputs.""",
    "node-session-failure": """No session can be created for a graph with this node.

Why: the build has no kernel for the operator with these element types, on the GPU or on the CPU. Builds for browsers
leave out kernels that native ONNX Runtime has: for example, float64 of most operators.

How: convert to a type that the build supports. `webbuild pack` does so for the operators that it can rewrite.""",
    "node-hangs": """A session with this node alone does not finish in time.

Why: a shader does not end, or this adapter takes minutes to compile or run it.

How: try `repro.html` on another GPU. Software adapters are slow at large convolutions: `--seconds` allows more
time.""",
    "node-crashes": """The page crashes in a session with this node alone.

Why: the engine ran out of memory, or the browser's GPU process died.

How: check the size of the node's tensors. `repro.html` shows whether your own browser crashes too.""",
    "fusion-mismatch": """Several nodes differ together, and agree alone: the engine fuses them.

Why: the engine fuses them into one kernel, and that kernel is wrong. If the values between the nodes are outputs too,
the engine does not fuse them, and the result is right.

How: `repro.onnx` has the fewest nodes that show it. `graphOptimizationLevel: "disabled"` turns fusion off.""",
    "joint-mismatch": """These nodes differ together, and agree alone; bisect cannot separate them further.

Why: accumulated rounding does not explain it, because an integer or a boolean differs, or because no smaller group
differs. There are two causes:
- A node turns a small error of another node into a decision: a comparison, an ArgMax, a TopK.
- The engine computes a node differently if the other nodes are in the same session.

How: `repro.onnx` has the fewest nodes that show it. Look at the inputs of the decision: if they are nearly equal, both
results are right.""",
    "shader-cache-interaction": """A node is wrong only if the session holds another node with the same operator.

Why: the engine compiles a shader for one node and reuses it for the other, because its cache key lacks an attribute in
which they differ.

How: `repro.onnx` has both nodes. Give both the same attribute, or run one on the CPU with `forceCpuNodeNames`.
`webbuild pack` does so in the known cases.""",
    "error-accumulation": """The outputs differ, and no single node does: small errors accumulate, or one is amplified.

Why: engines add in different orders and approximate functions differently. Each node is within tolerance, but the
errors add up, or a small error changes a decision (a TopK, a comparison).

How: the report plots the error against the depth. If it grows evenly, nothing is broken: give a --tolerance that fits
the model, or compare by task with `webbuild verify`. If it jumps, look at the node after the jump.""",
}
"""Code -> page of text; the first line is a summary."""
