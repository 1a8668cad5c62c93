"""Draw people and train the narrow YOLO11-pose on them for a given time.

    python -m models.yolo_pose.train --minutes 60 --out build/yolo-pose

The best checkpoint so far is always at OUT/run/weights/best.pt, so training can be stopped at any time.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import torch

from models.people import dataset
from models.yolo_pose.offline import YOLO

ARCHITECTURE = Path(__file__).with_name("yolo11-pose-narrow.yaml")


def prepare(trainer: Any, threads: int) -> None:
    """Run the network but not the loss in bfloat16: 1.5 times as fast on processors with native bfloat16."""
    torch.set_num_threads(threads)
    forward = trainer.model.predict

    def predict(*args: Any, **options: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return widened(forward(*args, **options))

    trainer.model.predict = predict


def cool(trainer: Any, seconds: float) -> None:
    """Let the learning rate fall linearly with time, not with epochs."""
    left = 1 - (time.time() - trainer.train_time_start) / seconds
    for group in trainer.optimizer.param_groups:
        group["lr"] = group["initial_lr"] * max(left, 0.01)


def widened(value: Any) -> Any:
    """The same outputs in float32."""
    if isinstance(value, torch.Tensor):
        return value.float()
    if isinstance(value, dict):
        return {name: widened(item) for name, item in value.items()}
    return type(value)(widened(item) for item in value)


def train(out: Path, minutes: float, pictures: int, threads: int, start: Path | None) -> Path:
    """Train on `pictures` drawings and return the best checkpoint."""
    data = dataset.write(out / "data", pictures, dataset.HELD_OUT, threads)
    model: Any = YOLO(str(start or ARCHITECTURE), task="pose")
    model.add_callback("on_train_start", lambda trainer: prepare(trainer, threads))
    model.add_callback("on_train_batch_start", lambda trainer: cool(trainer, minutes * 60))
    model.train(
        data=str(data), imgsz=dataset.SIDE, time=minutes / 60, epochs=1000, patience=1000,
        project=str(out.resolve()), name="run", exist_ok=True, device="cpu", workers=0, amp=False,
        cache="ram", plots=False, batch=16, nbs=16, optimizer="AdamW", lr0=0.002, lrf=0.02,
        warmup_epochs=0.3, warmup_bias_lr=0.0, weight_decay=0.0005, seed=0, mosaic=0.0, scale=0.0,
        translate=0.0, erasing=0.0, hsv_h=0.01, hsv_s=0.4, hsv_v=0.3, fliplr=0.5,
    )  # fmt: skip
    return out / "run/weights/best.pt"


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for drawings and weights")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--pictures", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--start", type=Path, help="checkpoint to continue from")
    options = parser.parse_args()
    print(train(options.out, options.minutes, options.pictures, options.threads, options.start))


if __name__ == "__main__":
    main()
