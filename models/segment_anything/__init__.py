"""Records transformers' post-processing of Segment Anything's outputs."""
