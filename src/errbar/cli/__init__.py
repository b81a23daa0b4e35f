"""The `errbar` command: parse, call, print; no arithmetic."""

from errbar.cli.app import app, main

__all__ = ["app", "main"]
