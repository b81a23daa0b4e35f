"""The commands under `errbar lab`, which the command line finds by an entry point."""

from pathlib import Path

from errbar.cli.commands import TABLES, declared, made

_HERE = Path(__file__).parent


def atlas_problems() -> list[str]:
    """Return the problems of the atlas, for the Tab key."""
    return list(declared(_HERE / "_atlas" / "problems.toml"))


_OWN = declared(_HERE / "commands.toml")
Lab = made("errbar lab", _OWN | {"options": TABLES["options"] | _OWN["options"]})
