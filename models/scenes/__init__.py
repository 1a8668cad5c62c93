"""Drawings of named shapes in named colours, and focal stacks, with exact ground truth."""
