"""Models of the Hugging Face Hub, downloaded with huggingface_hub's cache, settings and token."""

from __future__ import annotations

from pathlib import Path

from webbuild.errors import USAGE, WebbuildError, printable
from webbuild.model.choose_files import HUB_PREFIX, choose_files

_CONFIGURATION = (
    "config.json", "preprocessor_config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt", "inference.yml"
)  # fmt: skip
"""Files that `read_hub_files` reads."""
_DEFAULT = ("model.onnx", "onnx/model.onnx")
"""Paths that exporters write a model to; its weights may be in files with this name plus a suffix."""


def download_from_hub(reference: str, *, pairs: bool) -> tuple[Path, tuple[str, ...], str]:
    """Download the model of `hf:owner/name[@revision][:file]`, and the configuration files next to it.

    Returns:
        The folder of the snapshot in the Hub's cache, the named file or those that `choose_files` returns, and the
        repository's name.

    Raises:
        WebbuildError: `invalid-repository`, `no-huggingface-hub`, `hub-not-found`, `hub-gated`, `hub-unreachable`,
            `several-models`.
    """
    repository, file = reference.removeprefix(HUB_PREFIX), ""
    if ":" in repository:
        repository, file = repository.split(":", 1)
    repository, _, revision = repository.partition("@")
    if repository.count("/") != 1 or not all(repository.split("/")):
        raise WebbuildError(
            "invalid-repository",
            f"{reference}: not the name of a Hub repository",
            "write it as hf:owner/name, hf:owner/name@revision or hf:owner/name:onnx/model.onnx",
            exit_code=USAGE,
        )
    try:
        import huggingface_hub  # noqa: F401
    except ImportError as error:
        raise WebbuildError(
            "no-huggingface-hub",
            f"{reference}: huggingface_hub is not installed",
            "pip install 'webbuild[hub]'",
            exit_code=USAGE,
        ) from error
    wanted = [file] if file else list(_DEFAULT)
    folder = _snapshot(reference, repository, revision or None, wanted)
    if file and not (folder / file).is_file():
        raise WebbuildError(
            "hub-not-found",
            f"{reference}: the repository has no file '{file}'",
            f"leave ':{file}' out, or look up its name on the repository's page",
            exit_code=USAGE,
        )
    name, cached = repository.split("/")[1], [each for each in wanted if (folder / each).is_file()]
    if cached:
        return folder, (cached[0],), name
    models = _list_models(reference, repository, revision or None, folder)
    if not models:
        raise WebbuildError(
            "model-not-found",
            f"{reference}: has no .onnx file",
            "take a repository with an ONNX export, such as those of onnx-community",
            exit_code=USAGE,
        )
    files = choose_files(reference, models, pairs=pairs)
    return _snapshot(reference, repository, revision or None, list(files)), files, name


def _list_models(reference: str, repository: str, revision: str | None, cached: Path) -> list[str]:
    """Return the ONNX files of a repository; those in the cache if the Hub does not answer."""
    import huggingface_hub

    try:
        names = huggingface_hub.HfApi().list_repo_files(repository, revision=revision)
    except Exception as error:
        if cached_files := sorted(file.relative_to(cached).as_posix() for file in cached.rglob("*.onnx")):
            return cached_files
        raise _as_error(reference, error) from error
    return sorted(name for name in names if name.endswith(".onnx"))


def _snapshot(reference: str, repository: str, revision: str | None, files: list[str]) -> Path:
    """Return the folder of a snapshot with these files, their weights and configuration; offline, of the cache."""
    import huggingface_hub

    weights = [f"{name}{ending}" for name in files for ending in ("_data*", ".data*")]
    folders = {name.rpartition("/")[0] for name in files} | {""}
    configuration = [f"{folder}/{name}".lstrip("/") for folder in folders for name in _CONFIGURATION]
    try:
        snapshot = huggingface_hub.snapshot_download(
            repository, revision=revision, allow_patterns=[*files, *weights, *configuration], library_name="webbuild"
        )
    except Exception as error:
        raise _as_error(reference, error) from error
    return Path(str(snapshot))


def _as_error(reference: str, error: Exception) -> WebbuildError:
    """Convert an exception of huggingface_hub to an error with a fix."""
    from huggingface_hub import errors

    match error:
        case errors.GatedRepoError():
            what, fix = "hub-gated", "accept its terms on its page, then run `hf auth login`, or set HF_TOKEN"
        case errors.LocalEntryNotFoundError() | errors.IncompleteSnapshotError():
            what, fix = (
                "hub-unreachable",
                "check the network, and unset HF_HUB_OFFLINE; or pack a folder that was downloaded elsewhere",
            )
        case errors.RepositoryNotFoundError() | errors.RevisionNotFoundError() | errors.EntryNotFoundError():
            what, fix = "hub-not-found", "check owner, name and revision; a private one needs `hf auth login`"
        case errors.HFValidationError():
            what, fix = "invalid-repository", "write it as hf:owner/name"
        case _:
            what, fix = "hub-unreachable", "check the network; HF_ENDPOINT names another server, HF_TOKEN a user"
    reason = printable(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__, 200)
    absent = isinstance(error, errors.LocalEntryNotFoundError | errors.IncompleteSnapshotError)
    prefix = "is not in the cache, and the Hub did not answer: " if absent else ""
    return WebbuildError(what, f"{reference}: {prefix}{reason}", fix, exit_code=USAGE)
