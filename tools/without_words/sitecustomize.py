"""Loaded by Python itself at its start: every refusal says "refused", and every note its code.

Types, codes, arguments and numbers stay. Only `tools/without_words.py` puts this folder on the path.
"""

import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder


def _refusals(module):
    def __init__(self, sentence="", *, argument=None):
        Exception.__init__(self, "refused")
        if argument is not None:
            self.argument = argument

    module.ErrbarError.__init__ = __init__


def _notes(module):
    if "text" in getattr(module.Note, "_fields", ()):
        make = module.Note.__new__
        module.Note.__new__ = lambda cls, code, text: make(cls, code, code)
    else:
        module.Note.text = property(lambda note: note.code)


CHANGES = {"errbar.errors": _refusals, "errbar.result": _notes, "errbar.notes": _notes}


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
