"""Float16: which nodes may use it, what it saves, and the backends that compute it."""
