"""The inputs of a model, as the manifest says them: what each holds, and who fills it in."""
