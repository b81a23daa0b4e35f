"""Reading what people have: frames, files, and what other tools write."""
