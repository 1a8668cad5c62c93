"""Tiny graphs that WebGPU builds refuse, fail on, compute wrongly or run on the CPU, and the tools that fix them."""
