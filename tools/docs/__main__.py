"""Write the Markdown of the whole site: `python -m tools.docs build/docs`.

`docs/` is copied, then each module below adds its generated pages. `make docs` calls this, then Zensical, then
`python -m tools.docs.links`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.docs import api, codes, commands, config, decisions, figures, kernels, llms, manifest

ROOT = Path(__file__).parents[2]


def main(out: Path) -> None:
    """Write the pages into an empty folder."""
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(ROOT / "docs", out)
    for source in (codes, commands, decisions, figures, kernels, manifest, api, llms, config):
        source.write(out)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
