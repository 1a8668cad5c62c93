"""Draws text, and trains, exports and measures two small networks that find it (DB) and read it (CTC)."""
