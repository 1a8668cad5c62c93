"""WebGPU measured where there is a GPU: prepared on one machine, run on a bare one, rendered into docs/gpu.md."""
