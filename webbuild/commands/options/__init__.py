"""Arguments and options of each command, one file per command, with few imports to keep the start fast."""
