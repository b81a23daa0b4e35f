"""The `errbar` command."""
