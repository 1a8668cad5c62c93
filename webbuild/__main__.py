"""`python -m webbuild`: the command, where it is not on the PATH."""

from webbuild.cli import main

main()
