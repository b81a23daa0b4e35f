"""Plans: which training sets are needed, and what each is tested on."""

from errbar._lazy import names_in_stub

__all__, __getattr__ = names_in_stub(__name__, __file__)
