"""Inputs to compare on: pictures, prompts, stacks, and random tensors."""
