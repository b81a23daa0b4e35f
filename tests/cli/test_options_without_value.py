"""An option that lacks its value, in any command: status 2 and one line."""

import pytest

from tests.cli.test_help import LEAVES


def options_with_values(command):
    """Return the names of the options of a command that take a value."""
    return [
        name
        for one in command.params
        if not getattr(one, "is_flag", False)
        for name in one.opts
        if name[:1] == "-"
    ]


EVERYDAY = {("export",), ("evaluate",)}
CASES = [
    pytest.param(words, marks=() if words in EVERYDAY else pytest.mark.long, id=" ".join(words))
    for words in LEAVES
]


@pytest.mark.parametrize("words", CASES)
def test_an_option_at_the_end_without_its_value(errbar, words):
    own = options_with_values(LEAVES[words])
    foreign = {"--metric", "--learner", "--n-jobs"}  # of other programs, or of other commands
    for name in sorted({*own, *foreign}):
        ended = errbar(*words, name)
        assert (ended.status, ended.out, ended.err.count("\n")) == (2, "", 1), (words, name, ended)
        assert ended.err.startswith("errbar: ")
        assert name in ended.err
