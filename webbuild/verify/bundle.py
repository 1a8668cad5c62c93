"""A bundle that is verified: its manifest, and its graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from webbuild.errors import USAGE, WebbuildError
from webbuild.manifest.manifest import Glue, Graph, Manifest
from webbuild.manifest.stages import crop_input
from webbuild.manifest.variant_names import for_one_picture, picture_batch, picture_size, variant_names


class Bundle(Struct, frozen=True):
    """A folder and its manifest. `variant` is the name of the variant that the manifest is of, empty for the first.

    With a `batch` its graphs take so many pictures; the manifest is as for one of them. `stage` is the stage that the
    manifest is of, empty where there is one, `glue` the module in front of it. `all_stages` are those of a bundle that
    stands for them together: its manifest is the last one's. `size` is that of the pictures that `load()` is asked for,
    None where the first stage has one variant: width and height.
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
        """The bundle for each variant of each stage and of the text encoder; graphs have its name after theirs."""
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
        """Whether it stands for all stages, of which the last looks at crops of what another finds."""
        return bool(self.all_stages) and crop_input(self.manifest) is not None

    @property
    def loader_file(self) -> str:
        """The generated loader, a path inside the bundle."""
        return f"{self.manifest.name}.js"

    def graph(self, name: str) -> Graph | None:
        """Return the graph of a name: a target's is the one as the model was exported, `webgpu fp16` another."""
        own = name.removesuffix(f" {self.variant}")
        return next((graph for graph in self.manifest.graphs if graph.name == own), None)

    def graph_names(self, backends: Sequence[str], precision: str = "auto") -> list[str]:
        """Return the names of the graphs of these backends, best first; a backend without any is named itself.

        Raises:
            WebbuildError: `no-graph` where there is none of this precision.
        """
        graphs_by_backend = {
            name: [graph for graph in self.manifest.graphs if graph.target == name] for name in backends
        }
        if precision == "auto":
            names = [
                name for backend, own in graphs_by_backend.items() for name in [each.name for each in own] or [backend]
            ]
            return [self._with_variant(name) for name in names]
        names_of_precision = [
            self._with_variant(each.name)
            for own in graphs_by_backend.values()
            for each in own
            if each.precision == precision
        ]
        if not names_of_precision:
            others = dict.fromkeys(each.precision for own in graphs_by_backend.values() for each in own)
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
        """Return the file that a graph is stored in: its own, or the gzipped one that is its only part."""
        parts = next((file.parts for file in self.manifest.files if file.path == graph.file), [])
        return self.directory / (parts[0] if len(parts) == 1 else graph.file)

    def is_disabled(self, backend: str) -> bool:
        """Whether it says that it must not run on a backend: the runtime then takes WASM."""
        return any(each.target == backend for each in self.manifest.disabled_targets)
