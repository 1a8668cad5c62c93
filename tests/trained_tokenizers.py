"""Tokenizers like CLIP's and SigLIP's, trained on the documentation, and strings to compare them on."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

ROOT = Path(__file__).parents[1]
CLIP_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
"""CLIP's regular expression for words."""
PUNCTUATION = r"[!\"\#\$%\&'\(\)\*\+,\-\.:;=\?@\[\\\]\^_`\{\|\}\~]"
"""The characters that SigLIP's `canonicalize_text` removes."""
FOREIGN = (
    "猫がソファの上で寝ている 一只狗在公园里跑 고양이 кот на диване γάτα חתול قطة على الأريكة बिल्ली แมว "
    "naïve café Straße İstanbul ﬁne ½ ㎏ Ⅷ 👍🏽 👨‍👩‍👧 🇩🇪 ☃️ e\u0301 a\u0308 ǆ ẞ"
)


def corpus() -> list[str]:
    """Return lines of text in English, and a few in other scripts."""
    files = sorted((ROOT / "docs").rglob("*.md"))[:40]
    return [line for file in files for line in file.read_text("utf-8").splitlines()] + [FOREIGN] * 20


def ends(*tokens: str, tokenizer: Tokenizer) -> list[tuple[str, int]]:
    """Return tokens with their ids."""
    return [(token, tokenizer.token_to_id(token) or 0) for token in tokens]


@cache
def clip_tokenizer() -> str:
    """Return a tokenizer.json like CLIP's: BPE of bytes in lower case, `</w>` after each word."""
    tokenizer = Tokenizer(
        models.BPE(unk_token="<|endoftext|>", end_of_word_suffix="</w>", continuing_subword_prefix="")
    )
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), spaces, normalizers.Lowercase()])
    split = pre_tokenizers.Split(Regex(CLIP_WORDS), "removed", invert=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=3000,
        special_tokens=["<|startoftext|>", "<|endoftext|>"],
        initial_alphabet=alphabet,
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    first, last = ends("<|startoftext|>", "<|endoftext|>", tokenizer=tokenizer)
    tokenizer.post_processor = processors.RobertaProcessing(last, first, trim_offsets=False, add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return str(tokenizer.to_str())


@cache
def siglip_tokenizer() -> str:
    """Return a tokenizer.json like SigLIP's: Unigram, lower case, no punctuation, `</s>` at the end."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex(PUNCTUATION), ""),
            normalizers.Replace(Regex(r"\s+"), " "),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=2000, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    (end,) = ends("</s>", tokenizer=tokenizer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[end])
    tokenizer.decoder = decoders.Metaspace()
    return str(tokenizer.to_str())


@cache
def gemma_tokenizer() -> str:
    """Return a tokenizer.json like SigLIP 2's: BPE of text whose spaces are `▁`, unknown letters as bytes."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(" ", "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=3000, special_tokens=["<pad>", "<eos>", "<bos>", "<unk>", *bytes_], show_progress=False
    )
    tokenizer.train_from_iterator(corpus(), trainer)
    (end,) = ends("<eos>", tokenizer=tokenizer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A <eos>", special_tokens=[end])
    return str(tokenizer.to_str())


def is_old(letter: str) -> bool:
    """Whether a character's properties are the same in all Unicode versions."""
    return unicodedata.ucd_3_2_0.category(letter) != "Cn" or unicodedata.category(letter)[0] in "SP"


def strings(count: int, seed: int) -> list[str]:
    """Return strings of all kinds: words, other scripts, any letter of Unicode, control characters, long ones.

    Characters newer than Unicode 3.2 are left out: each library uses another Unicode version.
    """
    draw = random.Random(seed)
    words = [word for line in corpus() for word in line.split()]
    scripts = [(0x20, 0x7F), (0, 0x20), (0xA0, 0x250), (0x300, 0x370), (0x370, 0x600), (0x600, 0x700), (0x900, 0xE80)]
    scripts += [(0x2000, 0x2070), (0x2100, 0x2200), (0x3040, 0x3100), (0x4E00, 0x9FFF), (0xAC00, 0xD7A4)]
    scripts += [
        (0xFE00, 0xFE10),
        (0xFF00, 0xFFF0),
        (0x1F300, 0x1FAFF),
        (0xE0000, 0xE0080),
        (0x10000, 0x10FFFF),
        (0, 0xD800),
    ]

    def letters() -> str:
        first, last = draw.choice(scripts)
        drawn = (chr(draw.randrange(first, last)) for _ in range(draw.randrange(1, 12)))
        return "".join(each for each in drawn if is_old(each))

    def phrase() -> str:
        return draw.choice((" ", "  ", "\t", "\n", "\u00a0", "\u3000", "")).join(
            draw.choice(words) for _ in range(draw.randrange(1, 9))
        )

    def changed() -> str:
        text = list(phrase())
        for _ in range(draw.randrange(1, 4)):
            text.insert(draw.randrange(len(text) + 1), letters())
        return "".join(text)

    def cased() -> str:
        return "".join(draw.choice((letter.upper(), letter.lower(), letter.title())) for letter in phrase())

    def foreign() -> str:
        return " ".join(draw.choice(FOREIGN.split()) for _ in range(draw.randrange(1, 6)))

    def long() -> str:
        return draw.choice((phrase, letters, foreign))() * draw.randrange(20, 60)

    kinds: Sequence[Callable[[], str]] = (phrase, changed, changed, letters, letters, cased, foreign, long)
    made = [draw.choice(kinds)() for _ in range(count)]
    return ["", " ", "\x00", "<|endoftext|>", "a <pad> b", "</s>", "▁", "a▁b", "<0x41>", "'s I'LL don't", *made][:count]
