"""Audio: encoders of transformers, spectra, and streaming networks with state inputs and outputs."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import nn

from models.zoo.examples import plain, sound
from models.zoo.recipe import Base, Example
from models.zoo.transformers_text import named
from models.zoo.weights import enliven

WAVE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
        "conv_dim": (16, 16, 16), "conv_kernel": (10, 3, 2), "conv_stride": (5, 4, 4), "num_conv_pos_embeddings": 8,
        "num_conv_pos_embedding_groups": 4, "vocab_size": 20, "num_feat_extract_layers": 3,
        "attn_implementation": "eager"}  # fmt: skip


def waves(name: str) -> Example:
    """Return a speech recognizer from samples to characters."""
    import transformers

    config = getattr(transformers, f"{name}Config")(**WAVE)
    network = getattr(transformers, f"{name}ForCTC")(config)
    axes = {0: "batch_size", 1: "sequence_length"}
    return named(network, {"input_values": sound(1600)}, ["logits"], axes)


def whisper(part: str) -> Example:
    """Return Whisper's encoder, or its decoder without a cache."""
    import transformers

    config = transformers.WhisperConfig(
        d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, vocab_size=100, num_mel_bins=20, max_source_positions=40,
        max_target_positions=32, attn_implementation="eager", pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None,
    )  # fmt: skip
    network = transformers.WhisperForConditionalGeneration(config)
    if part == "encoder":
        inputs = {"input_features": torch.randn(1, 20, 80)}
        return named(network.model.encoder, inputs, ["last_hidden_state"], {0: "batch_size"})
    inputs = {"input_ids": torch.randint(3, 100, (1, 4)), "encoder_hidden_states": torch.randn(1, 40, 32)}

    class Decoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, input_ids: Any, encoder_hidden_states: Any) -> Any:
            found = self.network.model.decoder(
                input_ids=input_ids,
                attention_mask=torch.ones_like(input_ids),
                use_cache=False,
                encoder_hidden_states=encoder_hidden_states,
            )
            return self.network.proj_out(found.last_hidden_state)

    free = {"input_ids": {1: "decoder_sequence_length"}, "logits": {1: "decoder_sequence_length"}}
    return Example(enliven(Decoder(), tuple(inputs.values())), inputs, ["logits"], free)


def spectrogram_transformer() -> Example:
    """Return the audio spectrogram transformer."""
    import transformers

    config = transformers.ASTConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_length=64,
        num_mel_bins=32, num_labels=6, attn_implementation="eager",
    )  # fmt: skip
    network = transformers.ASTForAudioClassification(config)
    return named(network, {"input_values": torch.randn(1, 64, 32)}, ["logits"], {0: "batch_size"})


class VoiceActivity(nn.Module):
    """Silero's voice activity detector: an If on the sampling rate, a spectrum by convolution, an LSTM with state."""

    def __init__(self) -> None:
        super().__init__()
        self.frames = _Branch(_Frames(64), _Frames(32))
        self.cell = nn.LSTM(16, 16, 1)
        self.head = nn.Conv1d(16, 1, 1)

    def forward(
        self,
        input: torch.Tensor,  # noqa: A002
        state: torch.Tensor,
        sr: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the probability of speech, and the state."""
        frames = self.frames(input, sr)
        found, (hidden, cell) = self.cell(frames.permute(2, 0, 1), (state[0:1], state[1:2]))
        return torch.sigmoid(self.head(torch.relu(found[-1:].permute(1, 2, 0)))).squeeze(1), torch.cat([hidden, cell])


class _Frames(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.basis = nn.Conv1d(1, 2 * 17, size, size // 2, bias=False)
        self.encode = nn.Conv1d(17, 16, 3, 2, 1)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        found = self.basis(nn.functional.pad(samples.unsqueeze(1), [0, 32], mode="reflect"))
        power = torch.sqrt(found[:, :17] ** 2 + found[:, 17:] ** 2)
        return torch.relu(self.encode(torch.log1p(power)))


class _Branch(nn.Module):
    def __init__(self, fast: Any, slow: Any) -> None:
        super().__init__()
        self.fast, self.slow = fast, slow

    def forward(self, samples: torch.Tensor, rate: torch.Tensor) -> torch.Tensor:
        return self.fast(samples) if bool(rate == 16000) else self.slow(samples)


def voice() -> Example:
    """Return the voice activity detector."""
    inputs = {"input": sound(512), "state": torch.randn(2, 1, 16) * 0.3, "sr": torch.tensor(16000)}
    free = {"input": {0: "batch", 1: "sequence"}, "state": {1: "batch"}, "output": {0: "batch"}, "stateN": {1: "batch"}}
    # Scripted as a whole: a trace follows only its example's branch, and fails on a scripted module within another.
    network = torch.jit.script(VoiceActivity().eval())
    return Example(network, inputs, ["output", "stateN"], free)


class Spectrum(nn.Module):
    """Log mel bands of samples."""

    def __init__(self, size: int = 64, bands: int = 12) -> None:
        super().__init__()
        self.size = size
        self.register_buffer("window", torch.hann_window(size))
        self.register_buffer("mel", torch.rand(bands, size // 2 + 1) ** 4)

    def forward(self, samples: Any) -> Any:
        """Return the bands in decibels, [batch, bands, frames]."""
        found = torch.stft(samples, self.size, self.size // 2, window=self.window, return_complex=False, center=False)
        power = found.pow(2).sum(-1)
        return 10 * torch.log10(torch.clamp(self.mel @ power, min=1e-10))


class Enhancer(nn.Module):
    """Speech enhancement frame by frame: GRUs with state inputs and outputs, a mask for real and imaginary parts."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(2, 8, (1, 5), (1, 2), (0, 2))
        self.norm, self.act = nn.BatchNorm2d(8), nn.PReLU(8)
        self.gru = nn.GRU(8 * 17, 24, 2, batch_first=True)
        self.out = nn.Linear(24, 8 * 17)
        self.up = nn.ConvTranspose2d(16, 2, (1, 5), (1, 2), (0, 2))

    def forward(self, mix: Any, cache: Any) -> Any:
        """Return the frame, [1, 33, 1, 2], and the state."""
        first = self.act(self.norm(self.convolution(mix.permute(0, 3, 2, 1))))
        flat = first.permute(0, 2, 1, 3).flatten(2)
        found, state = self.gru(flat, cache)
        second = self.out(found).reshape(1, -1, 8, 17).permute(0, 2, 1, 3)
        mask = torch.tanh(self.up(torch.cat([first, second], 1))).permute(0, 3, 2, 1)
        real = mix[..., 0] * mask[..., 0] - mix[..., 1] * mask[..., 1]
        imaginary = mix[..., 0] * mask[..., 1] + mix[..., 1] * mask[..., 0]
        return torch.stack([real, imaginary], -1), state


class Vocoder(nn.Module):
    """HiFi-GAN: transposed convolutions over time, dilated residual blocks, weight normalization."""

    def __init__(self) -> None:
        super().__init__()
        normal = nn.utils.parametrizations.weight_norm
        self.first = normal(nn.Conv1d(12, 16, 7, padding=3))
        self.ups = nn.ModuleList([normal(nn.ConvTranspose1d(16 >> i, 8 >> i, 8, 4, 2)) for i in range(2)])
        self.blocks = nn.ModuleList([
            nn.ModuleList([normal(nn.Conv1d(8 >> i, 8 >> i, 3, padding=d, dilation=d)) for d in (1, 3)])
            for i in range(2)
        ])  # fmt: skip
        self.last = normal(nn.Conv1d(4, 1, 7, padding=3))

    def forward(self, mel: Any) -> Any:
        """Return samples, [batch, 1, 16 times the frames]."""
        found = self.first(mel)
        for up, block in zip(self.ups, self.blocks, strict=True):
            found = up(nn.functional.leaky_relu(found, 0.1))
            for dilated in block:
                found = found + dilated(nn.functional.leaky_relu(found, 0.1))
        return torch.tanh(self.last(nn.functional.leaky_relu(found)))


BASES = {
    "wav2vec2": Base(partial(waves, "Wav2Vec2"), "ts17-free ts14", "dynamic-int8 slim ort-fp16-io"),
    "hubert": Base(partial(waves, "Hubert"), "ts14-free", "ort-all"),
    "whisper-encoder": Base(partial(whisper, "encoder"), "ts17-free dynamo18", "q4 dynamic-uint8 ort-fp16"),
    "whisper-decoder": Base(partial(whisper, "decoder"), "ts17-free", "slim"),
    "ast": Base(spectrogram_transformer, "ts17", "ort-vit"),
    "silero-vad": Base(voice, "ts16-free ts13", "sim"),
    "mel": Base(partial(plain, Spectrum, {"samples": lambda: sound(800)}, ["log_mel"], {
        "samples": {1: "length"}, "log_mel": {2: "frames"}}), "ts17-free dynamo18", "ort-all"),
    "gtcrn": Base(partial(plain, Enhancer, {
        "mix": lambda: torch.randn(1, 33, 1, 2), "cache": lambda: torch.randn(2, 1, 24) * 0.3}, ["enh", "cache_out"],
        {}), "ts11 ts17", "sim dynamic-uint8 fp16-io"),
    "hifigan": Base(partial(plain, Vocoder, {"mel": lambda: torch.randn(1, 12, 20)}, ["audio"], {
        "mel": {0: "batch", 2: "frames"}, "audio": {0: "batch", 2: "length"}}), "ts15-free", "fp16"),
}  # fmt: skip
