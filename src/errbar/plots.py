"""Plots: first the numbers, then the drawing."""
