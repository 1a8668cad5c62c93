"""Objects that keep their id through frames."""
