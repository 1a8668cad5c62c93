"""What a task has to say, by idea: `TaskKind` is all of it; in `*_kind.py` what several tasks say alike."""
