"""`python -m webbuild`: the command, where it is not on the PATH, and with limits."""

import sys

try:
    from webbuild.cli import main
except KeyboardInterrupt:  # main() handles the later ones
    sys.exit(130)

main()
