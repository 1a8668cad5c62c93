"""From a file to proven graphs: load, infer the task, run the passes, place the nodes, prove."""
