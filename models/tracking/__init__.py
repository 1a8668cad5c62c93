"""The reference for the runtime's tracks: ByteTrack in Python on synthetic scenes."""
