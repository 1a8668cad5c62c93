"""A bundle under verification: its manifest and its graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Glue, Graph, Manifest
from webbuild.manifest.stages import crop_input
from webbuild.manifest.variant_names import for_one_picture, picture_batch, picture_size, variant_names


class Bundle(Struct, frozen=True):
    """A bundle's folder, and the manifest of one variant of one stage, or of all stages together.

    Attributes:
        directory: the folder.
        manifest: the manifest, for one picture even with a batch; the last stage's for all stages together.
        variant: the name of the variant, empty for the first.
        batch: the batch size of the graphs.
        stage: the name of the stage, empty for a single stage.
        glue: the module before the stage.
        all_stages: the stages, if this represents all of them together.
        size: (width, height) for `load()`, None if the first stage has one variant.
    """

    directory: Path
    manifest: Manifest
    variant: str = ""
    batch: int = 1
    stage: str = ""
    glue: Glue | None = None
    all_stages: tuple[Bundle, ...] = ()
    size: tuple[int, int] | None = None

    @property
    def variants(self) -> list[Bundle]:
        """The bundle of each variant of each stage and of the text encoder; its name is appended to graph names."""
        glues = {each.name: each.glue_module or None for each in self.manifest.stages or ()}
        return [
            Bundle(
                self.directory,
                for_one_picture(manifest),
                " ".join(filter(None, (stage.stage_name or "", name))),
                picture_batch(manifest),
                stage.stage_name or "",
                glues.get(stage.stage_name or ""),
                size=picture_size(manifest) if at == 0 and stage.variants else None,
            )
            for at, stage in enumerate(self.manifest.every_model)
            for manifest, name in zip(stage.every_variant, variant_names(stage), strict=True)
        ]

    @property
    def looks_at_crops(self) -> bool:
        """Whether it represents all stages, and the last one is a crop stage."""
        return bool(self.all_stages) and crop_input(self.manifest.inputs) is not None

    @property
    def loader_file(self) -> str:
        """The generated loader, a path inside the bundle."""
        return f"{self.manifest.name}.js"

    def graph(self, name: str) -> Graph | None:
        """Return a graph by name: `webgpu` is the exported precision, `webgpu fp16` a reduced one."""
        graph_name = name.removesuffix(f" {self.variant}")
        return next((graph for graph in self.manifest.graphs if graph.name == graph_name), None)

    def graph_names(self, backends: Sequence[str], precision: str = "auto") -> list[str]:
        """Return the names of the graphs of these backends, best first; the backend's name if it has no graph.

        Raises:
            WebbuildError: `no-graph` if there is no graph of this precision.
        """
        graphs_by_backend = {
            name: [graph for graph in self.manifest.graphs if graph.target == name] for name in backends
        }
        if precision == "auto":
            names = [
                name
                for backend, graphs in graphs_by_backend.items()
                for name in [each.name for each in graphs] or [backend]
            ]
            return [self._with_variant(name) for name in names]
        names_of_precision = [
            self._with_variant(each.name)
            for graphs in graphs_by_backend.values()
            for each in graphs
            if each.precision == precision
        ]
        if not names_of_precision:
            others = dict.fromkeys(each.precision for graphs in graphs_by_backend.values() for each in graphs)
            raise WebbuildError(
                "no-graph",
                f"{self.directory}: has no {precision} graph for {' or '.join(backends)}",
                f"name one of {', '.join(others)}" if others else "leave --precision out",
                exit_code=USAGE,
            )
        return names_of_precision

    def _with_variant(self, name: str) -> str:
        return f"{name} {self.variant}" if self.variant else name

    def graph_path(self, graph: Graph) -> Path:
        """Return the file of a graph: its own file, or the gzipped file that is its only part."""
        parts = next((file.parts for file in self.manifest.files if file.path == graph.file), [])
        return self.directory / (parts[0] if len(parts) == 1 else graph.file)

    def is_disabled(self, backend: str) -> bool:
        """Whether the manifest disables a backend: the runtime then uses WASM."""
        return any(each.target == backend for each in self.manifest.disabled_targets)
