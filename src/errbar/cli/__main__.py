"""Run the command line with ``python -m errbar.cli``."""

from errbar.cli import main

main()
