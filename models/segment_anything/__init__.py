"""Records what transformers makes of the answers of Segment Anything."""
