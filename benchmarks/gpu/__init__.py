"""WebGPU measured on a GPU: prepared on one machine, run on a bare machine with a GPU, rendered into docs/gpu.md."""
