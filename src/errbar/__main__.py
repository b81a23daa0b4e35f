"""Run the command line with ``python -m errbar``."""

from errbar.cli import main

main()
