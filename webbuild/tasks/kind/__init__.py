"""The methods of a task, one mixin of `TaskKind` per file; `*_kind.py` are base classes of similar tasks."""
