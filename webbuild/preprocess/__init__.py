"""Preprocessing: turn pictures and prompts into tensors, exactly as the runtime in the browser does."""
