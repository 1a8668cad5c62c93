"""Small exports of many architectures, patched and run in Chromium: which are refused, wrong, or run on the CPU."""
