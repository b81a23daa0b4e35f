"""Laws that every method must obey, for methods from elsewhere too, and an assertion for tests of models.

The laws see structure and never constants: a standard error that is wrong by a factor obeys them all. A method therefore also
needs a value from an independent source, and a simulation in which its size is known.
"""

from errbar.testing._assertions import assert_not_worse
from errbar.testing._laws import check_method

__all__ = ["assert_not_worse", "check_method"]
