"""Commands that need more than a call."""
