"""The union of all inputs of a model."""

from __future__ import annotations

from webbuild.manifest.inputs.crop import CropInput
from webbuild.manifest.inputs.mask import MaskInput
from webbuild.manifest.inputs.option import NumberInput, OptionInput, SizeInput
from webbuild.manifest.inputs.picture import ImageInput, ReferenceInput
from webbuild.manifest.inputs.point_prompt import PointPromptInput
from webbuild.manifest.inputs.prompt import PromptInput
from webbuild.manifest.inputs.stack import FocusInput, StackInput
from webbuild.manifest.inputs.tensor import StageInput, StateInput, TensorInput

Input = (
    ImageInput
    | CropInput
    | ReferenceInput
    | StackInput
    | FocusInput
    | SizeInput
    | OptionInput
    | PromptInput
    | PointPromptInput
    | NumberInput
    | MaskInput
    | StateInput
    | StageInput
    | TensorInput
)
