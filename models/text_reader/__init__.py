"""Drawing of text, and training, export and measurement of a small text detector (DB) and recognizer (CTC)."""
