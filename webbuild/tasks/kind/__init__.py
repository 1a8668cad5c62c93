"""What a task has to say, by idea: `TaskKind` is all of it."""
