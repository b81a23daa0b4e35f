# The names of tuning, for type checkers, and at run time for `errbar.tuning.__getattr__`.

from errbar.tuning._kept import Kept as Kept, keep as keep
from errbar.tuning._search import tune as tune
from errbar.tuning._tuned import Tuned as Tuned, tuned as tuned
