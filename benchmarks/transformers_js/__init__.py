"""The shipped RT-DETR and Grounding DINO in transformers.js, beside their bundles."""
