"""What all methods share: the registry, the pivot, and the way from a table to a result."""
