"""What people read: the pages of errors."""
