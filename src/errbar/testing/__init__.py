"""Laws that every method must obey, for methods from elsewhere too, and the bands for checks by simulation.

A method that was entered with `errbar.methods.register` is checked by ``check_method(METHODS["its-key"])``. The laws
see structure and never constants: a standard error that is wrong by a factor obeys them all. A method therefore also
needs a value from an independent source, and a simulation in which its size is known.
"""

from errbar.testing._assertions import assert_not_worse
from errbar.testing._bands import binomial_band, binomial_power
from errbar.testing._cases import OPTION_VALUES, Case, cases, option_values
from errbar.testing._laws import CHECKS, check_method
from errbar.testing._views import VIEWS, Handling

__all__ = [
    "CHECKS",
    "OPTION_VALUES",
    "VIEWS",
    "Case",
    "Handling",
    "assert_not_worse",
    "binomial_band",
    "binomial_power",
    "cases",
    "check_method",
    "option_values",
]
