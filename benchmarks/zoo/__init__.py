"""Small exports of many architectures, patched and run in Chromium: what is refused, wrong, or left to the CPU."""
