"""CycloneDX 1.6 documents as JSON: components with licences and hashes. Equal contents give equal bytes.

Imports only the standard library, since the build of the wheel uses it too.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

Component = dict[str, Any]

_SPDX = {name.lower(): name for name in ("Apache-2.0", "BSD-3-Clause", "CC-BY-4.0", "CC-BY-NC-4.0", "MIT")}
"""Licence names that are SPDX identifiers; other names stay free text."""


def component(
    kind: str,
    name: str,
    version: str = "",
    *,
    registry: str = "",
    license_name: str = "",
    sha256: str = "",
    description: str = "",
    files: Mapping[str, str] = {},
) -> Component:
    """Return a component.

    Args:
        kind: `library`, `application`, `machine-learning-model`.
        name: the name in the registry.
        version: the version; empty if there is none.
        registry: `npm` or `pypi`, for the package URL.
        license_name: an SPDX identifier or free text.
        sha256: hash of the component, if it is one file.
        description: a sentence.
        files: SHA-256 of its files, by path.
    """
    at = f"@{version}" if version else ""
    reference = f"pkg:{registry}/{quote(name)}{at}" if registry else f"{kind}:{name}{at}"
    licenses = [
        {"license": {"id": _SPDX[license_name.lower()]} if license_name.lower() in _SPDX else {"name": license_name}}
    ]
    optional = {
        "version": version,
        "description": description,
        "hashes": _hashes(sha256) if sha256 else None,
        "licenses": licenses if license_name else None,
        "purl": reference if registry else None,
        "components": [
            {"type": "file", "name": path, "hashes": _hashes(digest)} for path, digest in sorted(files.items())
        ],
    }
    return {
        "type": kind,
        "bom-ref": reference,
        "name": name,
        **{key: value for key, value in optional.items() if value},
    }


def document(
    subject: Component, components: Sequence[Component], *, inside: Mapping[str, Sequence[str]], tool: Component | None
) -> str:
    """Return a document as JSON.

    Args:
        subject: the component that the document describes.
        components: its parts.
        inside: for a component's `bom-ref`, the `bom-ref`s of the components that it contains.
        tool: the program that made the subject, if it is another component.
    """
    top = subject["bom-ref"]
    nested = {each for several in inside.values() for each in several}
    references = [each["bom-ref"] for each in components]
    depends = {top: [each for each in references if each not in nested], **{each: [] for each in references}, **inside}
    metadata = {} if tool is None else {"tools": {"components": [tool]}}
    content = {
        "version": 1,
        "metadata": {**metadata, "component": subject},
        "components": list(components),
        "dependencies": [{"ref": reference, "dependsOn": list(on)} for reference, on in depends.items()],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    head = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{serial}",
    }
    return json.dumps({**head, **content}, indent=2) + "\n"


def package_components(packages: Sequence[Mapping[str, str]]) -> list[Component]:
    """Return npm packages as components."""
    return [
        component("library", each["name"], each["version"], registry="npm", license_name=each["license"])
        for each in packages
    ]


def engine_component(version: str, files: Mapping[str, str] = {}) -> Component:
    """Return onnxruntime-web."""
    return component("library", "onnxruntime-web", version, registry="npm", license_name="MIT", files=files)


def _hashes(digest: str) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": digest}]
