"""Special cases, one module for a family of operators, each with `cases(draw)`."""
