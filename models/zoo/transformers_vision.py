"""Vision networks of transformers: detection, segmentation, depth, pose, matting, image-text models, key points."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from models.zoo.examples import mask, photo, picture, tokens
from models.zoo.recipe import Base, Example
from models.zoo.transformers_text import named

PICTURE = {0: "batch_size"}
VIT = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "image_size": 64,
       "patch_size": 16, "attn_implementation": "eager"}  # fmt: skip
MIT = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "num_attention_heads": [1, 2, 2, 4],
       "decoder_hidden_size": 32, "num_labels": 5}  # fmt: skip
DETR = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "num_queries": 12,
        "num_labels": 5, "attn_implementation": "eager"}  # fmt: skip
BOXES = ["logits", "pred_boxes"]
DINOV2 = VIT | {"mlp_ratio": 2, "patch_size": 14, "image_size": 56, "reshape_hidden_states": False}


def resnet(kind: str = "ResNetConfig", **more: Any) -> Any:
    """Return the configuration of a narrow ResNet backbone."""
    import transformers

    options = {"embedding_size": 8, "hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 1, 1], "layer_type": "basic"}
    stages = {"out_features": ["stage2", "stage3", "stage4"]}
    return getattr(transformers, kind)(**(options | stages | more))


def swin(kind: str = "SwinConfig", size: int = 64, **more: Any) -> Any:
    """Return the configuration of a narrow Swin backbone."""
    import transformers

    options = {"embed_dim": 8, "depths": [1, 1, 1, 1], "num_heads": [1, 2, 2, 4], "window_size": 4}
    stages = {"out_features": ["stage1", "stage2", "stage3", "stage4"], "image_size": size}
    return getattr(transformers, kind)(**(options | stages | more))


def pictures(
    name: str, options: dict[str, Any], outputs: list[str], head: str = "Model", side: int = 64, backbone: Any = None,
    pixel_mask: bool = False, size: tuple[int, int] | None = None,
) -> Example:  # fmt: skip
    """Return a network of one picture."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**options, **({"backbone_config": backbone()} if backbone else {}))
    network = getattr(transformers, name + head)(config)
    inputs = {"pixel_values": photo(size or side)}
    if pixel_mask:
        inputs["pixel_mask"] = torch.ones(1, side, side, dtype=torch.long)
        inputs["pixel_mask"][:, :, side * 3 // 4 :] = 0
    axes = {0: "batch_size", 2: "height", 3: "width"} if "SegFormer" in name else PICTURE
    return named(network, inputs, outputs, axes)


def two_towers(name: str, part: str) -> Example:
    """Return CLIP or SigLIP: both encoders, or one of them."""
    import transformers

    text = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
            "vocab_size": 120, "max_position_embeddings": 16, "projection_dim": 24, "eos_token_id": 2,
            "bos_token_id": 1, "pad_token_id": 0}  # fmt: skip
    vision = {key: value for key, value in VIT.items() if key != "attn_implementation"} | {"projection_dim": 24}
    config = getattr(transformers, f"{name}Config")(text_config=text, vision_config=vision)
    config._attn_implementation = "eager"
    if name == "CLIP":
        config.projection_dim = 24
    words, image = tokens(120, 12, 2), photo(64)
    words[:, 9] = 2
    words[:, 10:] = 0
    if part == "text":
        network = transformers.CLIPTextModelWithProjection(config.text_config)
        return named(network, {"input_ids": words}, ["text_embeds"], {0: "batch_size", 1: "sequence_length"})
    if part == "vision":
        network = transformers.CLIPVisionModelWithProjection(config.vision_config)
        return named(network, {"pixel_values": image}, ["image_embeds"], PICTURE)
    inputs = {"input_ids": words, "pixel_values": image}
    if name == "CLIP":
        inputs["attention_mask"] = mask(12, 10, 2)
    example = named(getattr(transformers, f"{name}Model")(config), inputs, ["logits_per_image", "logits_per_text"], {})
    example.free.update(
        input_ids={0: "text_batch_size", 1: "sequence_length"}, pixel_values={0: "image_batch_size"},
        attention_mask={0: "text_batch_size", 1: "sequence_length"},
        logits_per_image={0: "image_batch_size", 1: "text_batch_size"},
        logits_per_text={0: "text_batch_size", 1: "image_batch_size"},
    )  # fmt: skip
    return example


def segment_anything(part: str) -> Example:
    """Return SAM's image encoder, or its prompt encoder and mask decoder."""
    import transformers

    config = transformers.SamConfig(
        vision_config={"hidden_size": 32, "output_channels": 16, "num_hidden_layers": 2, "num_attention_heads": 4,
                       "image_size": 64, "patch_size": 8, "window_size": 4, "global_attn_indexes": [1], "mlp_dim": 64,
                       "num_pos_feats": 8},
        prompt_encoder_config={"hidden_size": 16, "image_size": 64, "patch_size": 8, "mask_input_channels": 4},
        mask_decoder_config={"hidden_size": 16, "mlp_dim": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
                             "iou_head_hidden_dim": 16},
    )  # fmt: skip
    network = transformers.SamModel(config)
    if part == "encoder":
        return named(network.vision_encoder, {"pixel_values": photo(64)}, ["last_hidden_state"], PICTURE)
    inputs = {
        "input_points": torch.tensor([[[[20.5, 30.0], [40.0, 12.0]]]]),
        "input_labels": torch.tensor([[[1, 0]]]),
        "image_embeddings": torch.randn(1, 16, 8, 8),
    }
    example = named(network, inputs, ["iou_scores", "pred_masks"], PICTURE, multimask_output=True)
    example.free.update(input_points={2: "points"}, input_labels={2: "points"}, image_embeddings={})
    example.free.update(iou_scores={}, pred_masks={})
    return example


def owl() -> Example:
    """Return OWL-ViT: boxes of objects described by texts."""
    import transformers

    text = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
            "vocab_size": 120, "max_position_embeddings": 16}  # fmt: skip
    vision = {key: value for key, value in VIT.items() if key != "attn_implementation"}
    config = transformers.OwlViTConfig(text_config=text, vision_config=vision, projection_dim=32)
    inputs = {"input_ids": tokens(120, 16, 2), "pixel_values": photo(64), "attention_mask": mask(16, 12, 2)}
    return named(transformers.OwlViTForObjectDetection(config), inputs, BOXES, {})


def superpoint() -> Example:
    """Return SuperPoint: key points, their scores and descriptors."""
    import transformers
    from transformers.models.superpoint import modeling_superpoint

    suppress = modeling_superpoint.simple_nms
    if suppress.__module__ == modeling_superpoint.__name__:  # the exporter writes MaxPool of [N, H, W] incorrectly
        modeling_superpoint.simple_nms = lambda scores, radius: suppress(scores[:, None], radius)[:, 0]

    config = transformers.SuperPointConfig(
        encoder_hidden_sizes=[8, 8, 16, 16], decoder_hidden_size=32, keypoint_decoder_dim=65, descriptor_decoder_dim=32,
        keypoint_threshold=0.02, max_keypoints=40, border_removal_distance=2,
    )  # fmt: skip
    network = transformers.SuperPointForKeypointDetection(config)
    return named(network, {"pixel_values": picture(64)}, ["keypoints", "scores", "descriptors"], PICTURE)


def _base(exports: str, conversions: str, *arguments: Any, **more: Any) -> Base:
    return Base(partial(pictures, *arguments, **more), exports, conversions)


DEFORMABLE = DETR | {"num_feature_levels": 3, "encoder_n_points": 2, "decoder_n_points": 2}
RT_DETR = {"d_model": 32, "encoder_hidden_dim": 32, "encoder_in_channels": [16, 24, 32], "feat_strides": [8, 16, 32],
           "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "num_queries": 12, "decoder_layers": 2,
           "decoder_attention_heads": 4, "encoder_attention_heads": 4, "decoder_in_channels": [32, 32, 32],
           "num_labels": 5, "num_denoising": 0}  # fmt: skip
DEPTH = ["predicted_depth"]
DPT_NECK = {"neck_hidden_sizes": [8, 16, 24, 32], "fusion_hidden_size": 16}

BASES = {
    "segformer": _base("ts17-free ts14 dynamo18", "slim fp16-io qdq", "Segformer", MIT, ["logits"],
                       "ForSemanticSegmentation"),
    "detr": _base("ts17 ts14", "slim ort-fp16-io", "Detr", DETR | {"use_timm_backbone": False, "backbone": None}, BOXES,
                  "ForObjectDetection", backbone=resnet, pixel_mask=True),
    "conditional-detr": _base("ts17", "", "ConditionalDetr", DETR | {"use_timm_backbone": False, "backbone": None},
                              BOXES, "ForObjectDetection", backbone=resnet),
    "deformable-detr": _base("dynamo18", "slim", "DeformableDetr", DEFORMABLE | {"use_timm_backbone": False,
                             "backbone": None}, BOXES, "ForObjectDetection", backbone=resnet),
    "rtdetrv2": _base("ts17", "slim ort-fp16-io", "RTDetrV2", RT_DETR, BOXES, "ForObjectDetection",
                      backbone=partial(resnet, "RTDetrResNetConfig")),
    "yolos": _base("ts17", "ort-vit q4", "Yolos", VIT | {"image_size": [64, 64], "num_detection_tokens": 10,
                   "num_labels": 5}, BOXES, "ForObjectDetection"),
    "maskformer": Base(lambda: _masks(), "ts17", "slim fp16-io"),
    "dpt": Base(lambda: _dense(), "ts17 dynamo18", "ort-fp16-io"),
    "depth-anything": _base("ts17-free ts14", "slim qdq q4", "DepthAnything", DPT_NECK | {
        "patch_size": 14, "reassemble_hidden_size": 32}, DEPTH, "ForDepthEstimation", side=56,
        backbone=lambda: _dinov2()),
    "glpn": _base("ts13", "sim", "GLPN", {key: value for key, value in MIT.items() if key != "num_labels"} | {
        "decoder_hidden_size": 16}, DEPTH, "ForDepthEstimation"),
    "vitpose": _base("ts17", "ort-extended", "VitPose", {"num_labels": 17}, ["heatmaps"], "ForPoseEstimation",
                     size=(64, 48), backbone=lambda: _vitpose()),
    "vitmatte": Base(lambda: _matting(), "ts17", "ort-fp16-io slim"),
    "swin2sr": _base("ts17", "ort-all", "Swin2SR", {"embed_dim": 24, "depths": [2, 2], "num_heads": [2, 2],
                     "window_size": 4, "image_size": 16, "upscale": 2}, ["reconstruction"], "ForImageSuperResolution",
                     side=16),
    "upernet": _base("ts14", "qdq-int8", "UperNet", {"hidden_size": 16, "num_labels": 5, "auxiliary_channels": 8,
                     "pool_scales": [1, 2], "use_auxiliary_head": False}, ["logits"], "ForSemanticSegmentation",
                     backbone=partial(swin, "SwinConfig")),
    "mobilevit": _base("ts12-free", "slim", "MobileViT", {
        "hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [8, 8, 12, 16, 24, 32, 32], "num_attention_heads": 2,
        "expand_ratio": 1.0, "num_labels": 5, "image_size": 64, "aspp_out_channels": 16, "classifier_dropout_prob": 0},
        ["logits"], "ForSemanticSegmentation"),
    "videomae": Base(lambda: _video(), "ts17", "ort-fp16-io"),
    "timesformer": Base(lambda: _video("Timesformer", {"num_frames": 4}), "ts17", ""),
    "clip": Base(partial(two_towers, "CLIP", "both"), "ts14-free dynamo18", "ort-clip ort-fp16-io dynamic-int8 slim"),
    "clip-text": Base(partial(two_towers, "CLIP", "text"), "ts17-free", "q4 ort-fp16"),
    "clip-vision": Base(partial(two_towers, "CLIP", "vision"), "ts17-free", "qdq q8"),
    "siglip": Base(partial(two_towers, "Siglip", "both"), "ts17-free", "dynamic-uint8"),
    "owlvit": Base(owl, "ts17", ""),
    "sam-encoder": Base(partial(segment_anything, "encoder"), "ts17 dynamo18", "slim+fp16"),
    "sam-decoder": Base(partial(segment_anything, "decoder"), "ts17-free ts16", "slim dynamic-uint8"),
    "superpoint": Base(superpoint, "ts17", "slim"),
}  # fmt: skip


def _dense() -> Example:
    example = pictures("DPT", VIT | DPT_NECK | {
        "is_hybrid": False, "num_hidden_layers": 4, "backbone_out_indices": [0, 1, 2, 3],
        "reassemble_factors": [4, 2, 1, 0.5]}, DEPTH, "ForDepthEstimation")  # fmt: skip
    with torch.no_grad():
        example.network.network.head.head[-2].weight.abs_()  # a ReLU follows
    return example


def _dinov2() -> Any:
    import transformers

    return transformers.Dinov2Config(
        **(DINOV2 | {"num_hidden_layers": 4, "out_indices": [1, 2, 3, 4], "apply_layernorm": True})
    )


def _vitpose() -> Any:
    import transformers

    options = VIT | {"image_size": [64, 48], "patch_size": [16, 16], "out_indices": [2], "num_experts": 1}
    return transformers.VitPoseBackboneConfig(**options)


def _masks() -> Example:
    from transformers.models.maskformer import modeling_maskformer as maskformer

    maskformer.requires_backends = lambda *_: None  # its loss needs scipy, but exports do not have the loss
    config = maskformer.MaskFormerConfig(
        fpn_feature_size=32, mask_feature_size=16, num_labels=5, backbone_config=swin(),
        decoder_config=DETR | {"model_type": "detr"},
    )  # fmt: skip
    network = maskformer.MaskFormerForInstanceSegmentation(config)
    return named(network, {"pixel_values": photo(64)}, ["class_queries_logits", "masks_queries_logits"], PICTURE)


def _matting() -> Example:
    import transformers

    config = transformers.VitMatteConfig(
        hidden_size=32, fusion_hidden_sizes=[24, 16, 8, 8], convstream_hidden_sizes=[8, 8, 16],
        backbone_config=_vitdet(),
    )  # fmt: skip
    trimap = (torch.rand(1, 1, 4, 4) * 3).floor().div(2).repeat_interleave(16, 2).repeat_interleave(16, 3)
    inputs = {"pixel_values": torch.cat([photo(64), trimap], 1)}
    return named(transformers.VitMatteForImageMatting(config), inputs, ["alphas"], PICTURE)


def _vitdet() -> Any:
    import transformers

    options = {key: value for key, value in VIT.items() if key != "intermediate_size"}
    return transformers.VitDetConfig(
        **(options | {"num_channels": 4, "mlp_ratio": 2, "out_features": ["stage2"], "window_size": 2,
                      "window_block_indices": [0], "pretrain_image_size": 64, "use_relative_position_embeddings": True})
    )  # fmt: skip


def _video(name: str = "VideoMAE", more: dict[str, Any] | None = None) -> Example:
    import transformers

    options = VIT | {"num_frames": 4, "image_size": 32, "num_labels": 5} | (more or {})
    network = getattr(transformers, f"{name}ForVideoClassification")(getattr(transformers, f"{name}Config")(**options))
    return named(network, {"pixel_values": photo(32, 4)[None]}, ["logits"], PICTURE)
