"""Promise 1: whatever the history, its end is exactly what a clean rebuild of the newest commit gives."""
