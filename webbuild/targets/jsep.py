"""JSEP, the deprecated WebGPU build of onnxruntime-web: why it is refused, and what to import instead."""

from __future__ import annotations

from webbuild.errors import USAGE, WebbuildError

CODE = "jsep-build"
FIX = 'import "onnxruntime-web/webgpu" instead of "onnxruntime-web"'
EXPLAINED = """`import "onnxruntime-web"` loads JSEP, a deprecated build that webbuild does not support.

Why: the package's default entry still loads JSEP, the older WebGPU backend written in JavaScript:
- Its kernels are not those of the native WebGPU execution provider. Some are wrong or throw where the native build is
  right.
- It does not support `forceCpuNodeNames`.
- Upstream plans to remove it (microsoft/onnxruntime #29716).

`webbuild patch` proves its models for the native build.

How: write `import * as ort from "onnxruntime-web/webgpu"`, or `"onnxruntime-web/jspi"`, and load the graph of the
target VERSION-webgpu. Bundles contain the right build."""


def refusal(version: str) -> WebbuildError:
    """Return the error for a JSEP target."""
    return WebbuildError(
        CODE,
        f'{version}-jsep is the build that `import "onnxruntime-web"` loads: it is deprecated, and not supported',
        f"{FIX}, and name the target {version}-webgpu",
        exit_code=USAGE,
    )
