"""Drawn clips of moving people and backgrounds; training, export and measurement of a recurrent matting network."""
