"""Postprocessing that a model was exported without: the outputs it reads and what it computes from them."""

from __future__ import annotations

from webbuild.postprocess.anchors import AnchorPostprocess
from webbuild.postprocess.class_maps import ClassMapsPostprocess
from webbuild.postprocess.detr import DetrPostprocess
from webbuild.postprocess.grounding import GroundingPostprocess
from webbuild.postprocess.label_scores import LabelScoresPostprocess
from webbuild.postprocess.yolo import YoloPostprocess

Postprocess = (
    YoloPostprocess
    | AnchorPostprocess
    | DetrPostprocess
    | ClassMapsPostprocess
    | GroundingPostprocess
    | LabelScoresPostprocess
)
