"""Tasks: one file for each, found by walking this folder; in its folders what they share."""
