"""Random models for the passes: what comes out computes what went in."""
