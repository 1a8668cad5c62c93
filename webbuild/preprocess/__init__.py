"""Pictures and prompts to tensors, as the runtime in the browser makes them."""
