"""Numbers about two answers: arrays, tolerances, perturbations, and comparisons that prove nothing."""
