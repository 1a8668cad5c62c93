"""Rules of the inspection, grouped by outcome: each is a decorated function in a module of this folder."""
