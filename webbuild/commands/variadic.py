"""A command whose options take several values."""

from __future__ import annotations

import click


class Variadic(click.Command):
    """A command whose options may take several values: `--sample a.jpg b.jpg`, as a shell expands `*.jpg`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option in front of each further value."""
        several = {
            name for p in self.params if isinstance(p, click.Option) and p.metavar == "FILE..." for name in p.opts
        }
        expanded: list[str] = []
        option: str | None = None
        for position, argument in enumerate(args):
            if argument.startswith("-"):
                option = argument if argument in several else None
            elif option is not None and args[position - 1] != option:
                expanded.append(option)
            expanded.append(argument)
        return super().parse_args(ctx, expanded)
