"""Weights that are downloaded as whole numbers: which tensors may be, and what is stored of them."""
