"""These tests run the command with the fixture of its own tests."""

from tests.cli.conftest import errbar as command

__all__ = ["command"]
