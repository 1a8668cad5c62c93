"""The manifest of a bundle: the contract between the Python tool and the TypeScript runtime."""
