"""The stages of a bundle, and the tensors that join them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webbuild.manifest.manifest import CropInput, Input, Manifest, Output, StageInput


def stage_inputs(inputs: Sequence[Input]) -> list[StageInput]:
    """Return the inputs that take an output of an earlier stage."""
    return [spec for spec in inputs if isinstance(spec, StageInput)]


def crop_input(inputs: Sequence[Input]) -> CropInput | None:
    """Return the input that takes crops; None if there is none."""
    return next((each for each in inputs if isinstance(each, CropInput)), None)


def unfit_stages(manifest: Manifest) -> Iterator[str]:
    """Yield the errors in stages: names that are not unique, and inputs that no earlier stage computes."""
    outputs: dict[str, dict[str, Output]] = {}
    glues = {each.name: each.glue_module for each in manifest.stages or () if each.glue_module}
    for stage in manifest.every_stage:
        name = stage.stage_name or ""
        if name in outputs:
            yield f"two stages have the name {name}"
        for variant in stage.every_variant:
            for spec in stage_inputs(variant.inputs):
                output = outputs.get(spec.stage, {}).get(spec.output)
                if output is None or (output.dtype, output.shape) != (spec.dtype, spec.shape):
                    wanted = f"{spec.dtype} {spec.shape}"
                    yield f"input {spec.name} of stage {name} takes {spec.stage}.{spec.output}, no output of {wanted}"
        glue = glues.get(name)
        for read in glue.reads if glue else ():
            if read.output not in outputs.get(read.stage, {}):
                yield f"the glue of stage {name} reads {read.stage}.{read.output}, which no earlier stage makes"
        outputs[name] = {each.name: each for each in stage.outputs}
