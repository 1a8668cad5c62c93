"""Compilation, from a model file to proven graphs: load, infer the task, run the passes, place nodes, prove."""
