"""One file for each defect of a kernel: how it is recognised, and what is written in its place."""
