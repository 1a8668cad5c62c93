"""Non-maximum suppression (NMS) with static shapes, on the GPU."""
