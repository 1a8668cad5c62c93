"""Which models a task knows: by their inputs, outputs, metadata and the files beside them."""
