"""The browser's side of the house: a static server on loopback, and Chromium."""
