"""The measured npm packages: pinned archives, unpacked into the build folder."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import tarfile
from pathlib import Path

from msgspec import Struct

ROOT = Path(__file__).parents[1] / "build" / "npm"


class Package(Struct, frozen=True):
    """An npm package: name, version, and the integrity (SHA-512) of its archive as npm writes it."""

    name: str
    version: str
    integrity: str


TRANSFORMERS = Package(
    "@huggingface/transformers",
    "4.3.1",
    "sha512-5+voSeUCFK6PCKlY15dPhNOKq3/zOTxDN7oC+Wy9dFb1QZ0TSQomZRRy7URRK8YRuUoE9fGMQTTPC5d/pWBJhA==",
)
ENGINE = Package(
    "onnxruntime-web",
    "1.31.0-dev.20260914-8d85527a0",
    "sha512-Iy7rtadoBgxS/LLvDr3QW38DB1PNXRnr0GJMcL0TAt7c9qjgVQl83UlGCVyeAnK2InpmW8Uc3PL8XIuqtDeF6g==",
)
"""The version that transformers.js pins."""
DAWN = Package(
    "webgpu",
    "0.6.2",
    "sha512-3L4GfmqJLvYUIEWJngEQY+2HQiUlAFkg8+P8NDDj3Xx5hHHIFO/r8JW+ynfqBj7kHN4mbnwO74uB+lrRtLhp4Q==",
)
"""Dawn for Node: Chromium's WebGPU without Chromium."""
ULTRALYTICS = Package(
    "@ultralytics/yolo",
    "0.0.48",
    "sha512-PKfHoaynx0SG8u+zqVt2TFkrb1AhAO3tz/Yt6S30VY2J5qCl9/iwHZJRKu/9XOlrKfaSutckatSvRNh2z3wTYg==",
)
ULTRALYTICS_ENGINE = Package(
    "onnxruntime-web",
    "1.27.0",
    "sha512-ogDLsqIozHZwifPuN37OproAo0byX6t43/bP8GzeZWBWD6MOGExswFAx3up4NS/vvWBOg2u2PXomDt3rMmdQSg==",
)
"""Loaded by @ultralytics/yolo from its own host, unless another address is configured."""
LITERT = Package(
    "@litertjs/core",
    "2.5.3",
    "sha512-PlGmbMOq9WitX7FO0jhbdJw9GthatsyuCQXjTt/wJZo0FLaw48q4tz8IwqgqCIkviYGr9OFDL1kCnN4nzWoyJQ==",
)
LITERT_UTILS = Package(
    "@litertjs/wasm-utils",
    "2.5.3",
    "sha512-4fJiw6tBQnIs+0jH/OQ16nYOiSl8/+zZnn5h2ul8aTKHi05sVqZW580Tmk78pC2kT39A9OYBVdFawteZ/sI1kQ==",
)


def fetch_package(package: Package) -> Path:
    """Return the folder of a package; download the package if it is missing.

    Raises:
        ValueError: the archive does not have the pinned hash.
        subprocess.CalledProcessError: npm could not download it.
    """
    folder = ROOT / f"{package.name.replace('/', '-')}-{package.version}"
    if folder.is_dir():
        return folder
    ROOT.mkdir(parents=True, exist_ok=True)
    packing = ["npm", "pack", "--silent", f"{package.name}@{package.version}"]
    name = subprocess.run(packing, check=True, cwd=ROOT, capture_output=True, text=True).stdout.split()[-1]
    archive = ROOT / name
    check_integrity(archive.read_bytes(), package)
    with tarfile.open(archive) as files:
        files.extractall(folder.with_suffix(".part"), filter="data")
    (folder.with_suffix(".part") / "package").rename(folder)
    folder.with_suffix(".part").rmdir()
    archive.unlink()
    return folder


def check_integrity(archive: bytes, package: Package) -> None:
    """Raise ValueError if the archive does not have the pinned hash."""
    got = "sha512-" + base64.b64encode(hashlib.sha512(archive).digest()).decode()
    if got != package.integrity:
        raise ValueError(f"{package.name} {package.version}: wanted {package.integrity}, got {got}")
