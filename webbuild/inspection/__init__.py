"""The verdict before the run: where each node of a model will run in a browser, and how it will end."""
