"""Draws people and trains the narrow YOLO11-pose on them for a given time.

    python -m models.yolo_pose.train --minutes 60 --out build/yolo-pose

The best checkpoint so far is always at OUT/run/weights/best.pt, so it may be stopped at any time.
"""

import argparse
from pathlib import Path

import torch

from models.people import dataset
from models.yolo_pose.offline import YOLO

ARCHITECTURE = Path(__file__).with_name("yolo11-pose-narrow.yaml")


def train(out: Path, minutes: float, pictures: int, threads: int, start: Path | None) -> Path:
    """Train on `pictures` drawings and return the best checkpoint."""
    data = dataset.write(out / "data", pictures, dataset.HELD_OUT, threads)
    model = YOLO(str(start or ARCHITECTURE), task="pose")
    model.add_callback("on_train_start", lambda trainer: torch.set_num_threads(threads))
    model.train(
        data=str(data), imgsz=dataset.SIDE, time=minutes / 60, epochs=1000, patience=1000,
        project=str(out.resolve()), name="run", exist_ok=True, device="cpu", workers=0, amp=False,
        cache="ram", plots=False, batch=16, nbs=16, optimizer="AdamW", lr0=0.002, lrf=0.02,
        warmup_epochs=0.5, weight_decay=0.0005, seed=0, mosaic=0.0, scale=0.0, translate=0.0,
        erasing=0.0, hsv_h=0.01, hsv_s=0.4, hsv_v=0.3, fliplr=0.5,
    )  # fmt: skip
    return out / "run/weights/best.pt"


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for drawings and weights")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pictures", type=int, default=9000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--start", type=Path, help="checkpoint to go on from")
    options = parser.parse_args()
    print(train(options.out, options.minutes, options.pictures, options.threads, options.start))


if __name__ == "__main__":
    main()
