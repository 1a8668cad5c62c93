"""Pages of the bisect codes, as `webbuild explain` prints them."""

from __future__ import annotations

EXPLANATIONS = {
    "node-mismatch": """A node's output differs, although its inputs are the reference's values.

Why: the kernel computes something else than native ONNX Runtime does, by more than the tolerance. Nothing upstream is
to blame: what goes in are the reference's own numbers.

How: `webbuild bisect` writes the node with these numbers as `repro.onnx`, a page that shows wanted and got on your own
GPU, and a text for the makers of the engine. Until they fix it, `webbuild pack` may know a rewrite (see `webbuild
inspect`), or leave the node to the CPU with `forceCpuNodeNames`.""",
    "node-throws": """A node throws in a session with this node alone.

Why: the kernel refuses these attributes or shapes, or its shader does not compile.

How: `webbuild inspect` says whether the case is known, and `webbuild pack` rewrites those that it has a rewrite for.
`repro.onnx` is the node with its real inputs.""",
    "node-session-failure": """No session can be created for a graph with this node.

Why: the build has no kernel for the operator with these element types, on the GPU or on the CPU. The builds for
browsers leave out what native ONNX Runtime has, float64 for most operators among it.

How: convert to a type that the build has, or let `webbuild pack` rewrite it where it can.""",
    "node-hangs": """A session with this node alone does not finish in time.

Why: a shader that does not end, or one that this adapter takes minutes to compile or to run.

How: try `repro.html` on another GPU. A software adapter is slow at large convolutions: `--seconds` gives more time.""",
    "node-crashes": """The page crashes in a session with this node alone.

Why: the engine ran out of memory, or the browser's GPU process died.

How: look at the size of the node's tensors; `repro.html` shows whether your own browser survives it.""",
    "fusion-mismatch": """Several nodes differ together, and agree alone: the engine fuses them.

Why: the engine makes one kernel of them. Once the values between them are read too, which keeps it from doing so, the
answer is right.

How: `repro.onnx` has the fewest nodes that show it. A session with `graphOptimizationLevel: "disabled"` does without
fusion.""",
    "joint-mismatch": """These nodes differ together, and agree alone; bisect cannot separate them further.

Why: it is no rounding that adds up: what differs is an integer or a boolean, or no piece of neighbours differs. Either
one of the nodes turns a small error of another into a decision (a comparison, an ArgMax, a TopK), or the engine
computes one of them otherwise where the others are in its session.

How: `repro.onnx` has the fewest nodes that show it. Look at the numbers that the decision is made of: where they are
nearly equal, either answer is right.""",
    "shader-cache-interaction": """A node is wrong only if the session holds another node with the same operator.

Why: the engine compiles a kernel for one of them and takes it for the other, because its key for what it has compiled
leaves out an attribute in which they differ.

How: `repro.onnx` has both nodes. Make them alike in that attribute, or leave one to the CPU with `forceCpuNodeNames`.
`webbuild pack` does so in the cases that it knows.""",
    "error-accumulation": """The outputs differ, and no single node does: small errors accumulate, or one is amplified.

Why: engines add in other orders and approximate functions differently. Each node agrees within tolerance, and what
differs in the end is their sum, or a decision (a TopK, a comparison) that a small error turns.

How: the report shows the error against the depth. Where it grows evenly nothing is broken: give a --tolerance that
fits the model, or compare it by its task with `webbuild verify`. Where it jumps, look at the node after the jump.""",
}
"""Code -> a page of text, the first line a summary."""
