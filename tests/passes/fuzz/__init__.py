"""Random models for the passes: the rewritten model computes the same."""
