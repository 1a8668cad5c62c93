"""Samples, the inputs of comparisons: pictures, prompts, focal stacks and random tensors."""
