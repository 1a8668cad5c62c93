"""Tools that build what is published beside the package."""
