"""Small image encoders with patches of 4 x 4 pixels, and text encoders with a word tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx

from tests.models import HEADER, parsed, save, weights

SIZE, TOKENS = 12, 16
WORDS = ("[PAD]", "<start>", "<end>", "[UNK]", "a", "photo", "picture", "of", "red", "green", "blue", "cat", "dog")


def encoder(outputs: str = "last_hidden_state", *, scale: float = 1.0) -> onnx.ModelProto:
    """Return an encoder of images of 16 x 16 pixels with random weights, multiplied by `scale`.

    `outputs` are `last_hidden_state`, tokens [1, 16, 12], `pooler_output` or `image_embeds`, a vector [1, 12].
    """
    shapes = {"last_hidden_state": f"[1,{TOKENS},{SIZE}]"}
    listed = ", ".join(f"float{shapes.get(name, f'[1,{SIZE}]')} {name}" for name in outputs.split())
    pooled = [f"{name} = ReduceMean <keepdims = 0> (mixed, middle)" for name in outputs.split() if name not in shapes]
    tokens = ["last_hidden_state = Identity (mixed)"] if "last_hidden_state" in outputs else []
    text = f"""{HEADER} encoder (float[1,3,16,16] pixel_values) => ({listed})
    <int64[3] flat = {{1, {SIZE}, {TOKENS}}}, int64[1] middle = {{1}}>
    {{
      patches = Conv <kernel_shape = [4, 4], strides = [4, 4]> (pixel_values, weight)
      rows = Reshape (patches, flat)
      tokens = Transpose <perm = [0, 2, 1]> (rows)
      bent = Tanh (tokens)
      mixed = MatMul (bent, mixing)
      {" ".join([*tokens, *pooled])}
    }}"""
    model = parsed(text)
    tensors = {"weight": 0.3 * weights(SIZE, 3, 4, 4), "mixing": scale * weights(SIZE, SIZE, seed=1)}
    model.graph.initializer.extend(onnx.numpy_helper.from_array(array, name) for name, array in tensors.items())
    return model


def text_encoder(folder: Path, *, sizes: str = "n,t", size: int = SIZE, mask: bool = False) -> Path:
    """Write a text encoder with random weights and the tokenizer.json next to it; return the encoder's file.

    Its `text_embeds` [texts, `size`] is the mean of the token vectors, including the padding if there is no `mask`.
    """
    more = f", int64[{sizes}] attention_mask" if mask else ""
    weigh = "w = Cast <to = 1> (attention_mask)" if mask else "w = CastLike (one, table)"
    text = f"""{HEADER} text (int64[{sizes}] input_ids{more}) => (float[{sizes.partition(",")[0]},{size}] text_embeds)
    <int64[1] tokens = {{1}}, int64[1] last = {{2}}, int64[1,1] one = {{1}}>
    {{
      {weigh}
      weight = Unsqueeze (w, last)
      words = Gather (table, input_ids)
      weighed = Mul (words, weight)
      text_embeds = ReduceMean <keepdims = 0> (weighed, tokens)
    }}"""
    model = parsed(text)
    model.graph.initializer.append(onnx.numpy_helper.from_array(weights(len(WORDS), size, seed=3), "table"))
    file = save(model, folder / "text.onnx")
    (folder / "tokenizer.json").write_text(json.dumps(word_tokenizer()))
    (folder / "tokenizer_config.json").write_text('{"pad_token": "<end>"}')
    return file


def both_encoders(folder: Path, *, scale: float) -> Path:
    """Write both encoders as one graph, as transformers exports them: its logits are cosines times `scale`."""
    vision, text = encoder("image_embeds"), onnx.load(text_encoder(folder, mask=True))
    words = onnx.compose.add_prefix(text, "text_", rename_inputs=False, rename_outputs=False)
    graph = vision.graph
    for field in ("node", "initializer", "input", "output"):
        getattr(graph, field).extend(getattr(words.graph, field))
    graph.initializer.append(onnx.numpy_helper.from_array(np.log(np.float32(scale)), "logit_scale"))
    for operator, inputs, output in (
        ("Transpose", ["image_embeds"], "across"),
        ("MatMul", ["text_embeds", "across"], "cosines"),
        ("Exp", ["logit_scale"], "factor"),
        ("Mul", ["cosines", "factor"], "logits_per_text"),
    ):
        graph.node.append(onnx.helper.make_node(operator, inputs, [output]))
    graph.output.append(onnx.helper.make_tensor_value_info("logits_per_text", onnx.TensorProto.FLOAT, ["n", "p"]))
    return save(vision, folder / "model.onnx")


def word_tokenizer() -> dict[str, object]:
    """Return a tokenizer.json of a few words, with a token before a text and one after it."""
    ends = [{"SpecialToken": {"id": word, "type_id": 0}} for word in ("<start>", "<end>")]
    text = {"Sequence": {"id": "A", "type_id": 0}}
    specials = {word: {"id": word, "ids": [WORDS.index(word)], "tokens": [word]} for word in ("<start>", "<end>")}
    return {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [ends[0], text, ends[1]],
            "pair": [ends[0], text, ends[1], {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": specials,
        },
        "model": {
            "type": "WordPiece",
            "vocab": {word: at for at, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
        },
    }
