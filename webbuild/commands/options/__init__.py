"""Arguments and options of each command, a file a command: light, since `webbuild --help` imports all of them."""
