"""Create a Chromium with lavapipe, which has `shader-f16`, as its software adapter, and describe that adapter.

python -m benchmarks.lavapipe build/lavapipe
WEBBUILD_CHROMIUM=build/lavapipe/chromium webbuild verify dist/yolo-pose
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.lavapipe.browser import adapter_features, driver, installation, make
from webbuild.browser.chromium import open_chromium
from webbuild.browser.firefox import LAVAPIPE

ICD = (
    *(Path(path) for path in os.environ.get("VK_ICD_FILENAMES", "").split(":") if path),
    *LAVAPIPE,
)
FOLDERS = (Path("/usr/lib/chromium"), Path("/opt/google/chrome"))


def main() -> None:
    """Write the folder; print the executable and the features of its adapter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="to write; must not exist")
    parser.add_argument("--chromium", type=Path, help=f"folder of its executable [default: the first of {FOLDERS}]")
    args = parser.parse_args()
    folders = [args.chromium.resolve()] if args.chromium else FOLDERS
    executable = make(args.folder.resolve(), installation(folders), driver(ICD))
    os.environ["WEBBUILD_CHROMIUM"] = str(executable)
    with open_chromium() as browser:
        print(f"{executable}: {', '.join(adapter_features(browser))}")


if __name__ == "__main__":
    main()
