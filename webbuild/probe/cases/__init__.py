"""Special cases: one module for each family of operators, each with `cases(draw)`."""
