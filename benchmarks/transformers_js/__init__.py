"""The shipped RT-DETR and Grounding DINO in transformers.js, compared with their bundles."""
