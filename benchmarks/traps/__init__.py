"""Tiny graphs that WebGPU builds refuse, throw at, answer wrongly or take to the CPU, and which tool fixes them."""
