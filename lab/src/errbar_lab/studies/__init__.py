"""Simulation studies of methods: each a page that states what is varied, what is recorded and what is said of it."""
