"""ByteTrack in Python, and drawn scenes: what the tracks of the runtime are compared with."""
