"""Loaded by Python itself at its start: every refusal says "refused", and every note its code.

Types, codes, arguments and numbers stay. Only `tools/without_words.py` puts this folder on the path.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder


def _refusals(module):
    def without_words(error, _sentence="", *, argument=None):
        Exception.__init__(error, "refused")
        if argument is not None:
            error.argument = argument

    module.ErrbarError.__init__ = without_words


def _notes(module):
    module.Note.text = property(lambda note: note.code)


CHANGES = {"errbar.errors": _refusals, "errbar.result": _notes}


class _Changed(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name not in CHANGES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            CHANGES[name](module)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _Changed())
