"""The shipped pose model in a page as one writes it by hand, beside its bundle."""
