"""Any image or archive file: it is read, or refused with a fix, in little memory and time."""

from __future__ import annotations

import contextlib
import io
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from tests.fuzz import damage
from tests.fuzz.bounds import tried, typed_end
from webbuild.preprocess.image import load_image
from webbuild.samples.npz import load_npz

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "ICO", "PPM", "TGA", "JPEG2000", "PCX", "SGI", "DDS", "ICNS")
SIZES = (0, 1, 3, 40_000, 1 << 16, (1 << 31) - 1, (1 << 32) - 1)
Draw = damage.Draw


def picture(kind: str, mode: str) -> bytes:
    """Return an image file of 8 x 8 pixels, empty if the format lacks the mode."""
    made = Image.effect_noise((8, 8), 50).convert(mode)
    exif = Image.Exif()
    exif[0x0112] = 6  # displayed rotated by 90 degrees
    buffer = io.BytesIO()
    with contextlib.suppress(OSError, KeyError, ValueError):
        made.save(buffer, kind, exif=exif)
    return buffer.getvalue()


WHOLE = [data for kind in FORMATS for mode in ("RGB", "RGBA", "L", "P", "1") if (data := picture(kind, mode))]


def unknown_pixels() -> bytes:
    """Return a DDS file with an unknown pixel format, for which Pillow raises NotImplementedError."""
    data = bytearray(picture("DDS", "RGB"))
    data[80:84] = bytes(4)
    return bytes(data)


def encrypted() -> bytes:
    """Return an .npz that declares its array as encrypted."""
    buffer = io.BytesIO()
    np.savez(buffer, x=np.zeros(2))
    data = bytearray(buffer.getvalue())
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def png(width: int, height: int, bits: tuple[int, int], body: bytes) -> bytes:
    """Return a PNG with an arbitrary header."""
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, *bits, 0, 0, 0)), (b"IDAT", body), (b"IEND", b"")]
    parts = [struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@st.composite
def pictures(draw: Draw) -> bytes:
    """Draw the content of an image file."""
    if draw(st.integers(0, 4)):
        return damage.bytes_of(draw(st.sampled_from(WHOLE)), draw)
    sizes = [draw(st.sampled_from(SIZES)) for _ in range(2)]
    depth, kind = draw(st.sampled_from((1, 8, 16, 99))), draw(st.sampled_from((0, 2, 3, 4, 6, 9)))
    return png(sizes[0], sizes[1], (depth, kind), zlib.compress(bytes(draw(st.sampled_from((0, 100, 1 << 20))))))


@st.composite
def archives(draw: Draw) -> bytes:
    """Draw the content of an .npz: an array with an arbitrary header, or damage."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, x=np.zeros((2, 3), np.float32), ids=np.zeros(2, np.int64))
    whole = buffer.getvalue()
    if draw(st.booleans()):
        return damage.bytes_of(whole, draw)

    shape = tuple(draw(st.sampled_from(damage.SIZES)) for _ in range(draw(st.integers(0, 3))))
    kind = draw(st.sampled_from(("<f4", "|O", "<U99999999", "<i8", "|V4", "nonsense", "<f4','<f4")))
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode("latin-1")
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(24))
    return made.getvalue()


@pytest.mark.timeout(7200)
@tried(few=100, many=4_000)
@example(unknown_pixels())
@given(pictures())
def test_any_picture_is_read_or_refused(data: bytes) -> None:
    with typed_end("pictures"):
        found = load_image(Path("picture"), data)
        assert found.dtype == np.uint8
        assert found.shape[2:] == (4,)


@pytest.mark.timeout(7200)
@tried(few=60, many=1_000)
@example(encrypted())
@given(archives())
def test_any_archive_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "fuzzed.npz"
    file.write_bytes(data)
    with typed_end("archives of samples"):
        load_npz(file)
