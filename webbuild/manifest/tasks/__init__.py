"""The task of a model, as the manifest says it: which output holds what, and what to call it."""
