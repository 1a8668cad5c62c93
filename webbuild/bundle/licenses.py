"""Licenses of the parts of a bundle."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild import __version__
from webbuild.errors import printable
from webbuild.model.signature import ModelSignature
from webbuild.ortweb.packaged_assets import engine_version, fzstd_license, license_files

NO_LICENSE = "not stated in its metadata"


def model_license(signature: ModelSignature) -> str:
    """Return the licence in the model's metadata, as one line."""
    return printable(signature.metadata.get("license", "").strip().replace("\n", " "), 200) or NO_LICENSE


def model_notice(signatures: Sequence[ModelSignature]) -> str:
    """Return `LICENSE.txt`: file, licence and author of the model, or of each stage's model."""
    lines: list[str] = []
    for signature in signatures:
        lines += [
            f"The model in this folder was packed from {printable(signature.file, 200)}.",
            f"Its licence: {model_license(signature)}.",
        ]
        if author := signature.metadata.get("author"):
            lines.append(f"Its author, by its metadata: {printable(author, 200)}.")
    lines.append("The licences of the code next to it are in THIRD_PARTY_NOTICES.txt.")
    return "\n".join(lines) + "\n"


def third_party_notices(*, prompted: bool = False) -> str:
    """Return `THIRD_PARTY_NOTICES.txt`; `prompted`: the bundle has the tokenizer module."""
    parts = [
        f"The runtime and the page of this folder are part of webbuild {__version__}, under the Apache License 2.0:",
        "https://www.apache.org/licenses/LICENSE-2.0",
        f"\nruntime/ort/ has onnxruntime-web {engine_version()}, under the MIT License below.",
        "\nruntime/ contains comlink, Copyright Google LLC, under the Apache License 2.0.",
        f"\nruntime/worker.js contains fzstd, under this licence:\n\n{fzstd_license()}",
    ]
    if prompted:
        parts.append("\nruntime/tokenizer.js contains @huggingface/tokenizers, Copyright Hugging Face, under the same.")
    for file in license_files():
        parts.append(f"\n{'=' * 80}\nonnxruntime-web: {file.name}\n{'=' * 80}\n")
        parts.append(file.read_text("utf-8", "replace"))
    return "\n".join(parts) + "\n"
