"""What would make numbers wrong in silence, and what only the user knows of a sheet.

A rule yields what it finds, and the options that settle it; `ask` raises what a rule finds first.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, permutations
from typing import Any

import numpy as np

from errbar import _check
from errbar.errors import InvalidInputError
from errbar.losses import SIZES
from errbar.metrics._loss import score_words
from errbar.plans._base import DATA_SETS, RUNS
from errbar.reading.sheet import (
    COLUMNS,
    INDEX,
    NONE,
    PLACES,
    PREDICTIONS,
    SCORES,
    Columns,
    Labels,
    Sheet,
    UnsaidRoleError,
    asked,
    grid_of,
    is_text,
    is_whole,
    may_be,
    numbered,
    option,
    options_for,
    role_of,
    says,
    sheet_of,
    spoken,
    spoken_for,
    unused_by,
)
from errbar.result import Note

Found = Iterator[tuple[str, ...]]

FEWEST = 20
"""So many values do not stand equally often in a column by chance."""

_MOST_KEYS = 10  # columns, of which up to three together may name an example
_MOST_ROWS = 200  # below more rows, hardly anybody writes their mean
_COPIES = 0.2
_BY_CHANCE = 1e-5
_APART = 20.0  # shares and percents of one table lie by such a factor apart, and scores and other numbers
_NUMBERED = ("fold", "split", "repeat", "seed", "dataset")
"""Among the labels of these, a row called Total is a summary."""

_FOLDS = {"fold", "split", "repeat", "time"}
"""Any of these tells which model has made a prediction."""

_MOST_OPTIONS = 3
"""So many roles of a column are offered, beside naming the learners or leaving the column out."""
_MOST_NAMED = 6

_INDEX = "Unnamed: 0"
"""The name that a file of pandas has for an index; one of text may be of learners."""

_LIKE_A_NUMBER = r"\s*[-+]?\d*[.,]?\d[\d.,_]*([eE][-+]?\d+)?(\s*(%|±.*|\(.*))?\s*"
_OF_PREDICTIONS = ("loss", "positive", "pool", "scale")


def ask(given: Any, *rules: Callable[[Any], Found]) -> None:
    """Raise what a rule finds, with the options that settle it, if any do."""
    for rule in rules:
        for why, *options in rule(given):
            raise UnsaidRoleError(why, *options) if options else InvalidInputError(why)


def refuse_unused(sheet: Sheet, **options: Any) -> None:
    """Raise if something is stated that rows of their kind do not use."""
    stated = sheet.stated | options
    why = f"is not used where rows are {sheet.rows}"
    for name in unused_by(sheet.rows):
        if name in sheet.roles:
            raise UnsaidRoleError(f"{sheet.roles[name]!r} {why}", option(name, NONE))
        given = stated.get(name)  # maybe an array, which equals nothing
        if given is not None and (name, given) != ("kind", sheet.rows):
            remedy = "leave it out"
            if name in _OF_PREDICTIONS:
                remedy = "name the `truth`, or say `ratio`"
            raise InvalidInputError(f"{why}; {remedy}", argument=name)


def steps_of_training(sheet: Sheet) -> Found:
    """Find epochs or steps that alone tell rows apart: those of one training are no sample."""
    frame, roles = sheet.frame, sheet.roles
    key = [frame[roles[role]] for role in ("learner", *PLACES) if role in roles]
    parts = frame.groupby(key or np.zeros(len(frame)))
    if "example" in roles or sheet.kind is not None or parts.ngroups == len(frame):
        return
    for name in (*sheet.learners, *sheet.left):
        if asked(name) == ["answer"] and parts[name].is_monotonic_increasing.all():
            why = f"{name!r} numbers steps of a training, which are no sample (give a row for each)"
            yield f"{why}, or answers to examples", "--example"


def columns_that_are_no_learners(sheet: Sheet) -> Found:
    """Find columns that cannot all be learners, where nobody has named these."""
    if sheet.long or sheet.named:
        return
    unit = "dataset" if sheet.kind == DATA_SETS else "example"
    for name in [*sheet.left, *{_INDEX} & {*sheet.frame} - {*sheet.said.values()}]:
        cells = sheet.frame[name]
        roles = asked(name) or spoken_for(name) or ["learner", unit] * (name == _INDEX)
        if "learner" in roles and is_text(cells) and cells.nunique() > 1:
            why = f"column {name!r} may name learners"
            yield why, *options_for(name, roles)[:_MOST_OPTIONS], option("ignore", name)
    if "value" in sheet.said:
        return
    if "truth" in sheet.roles:
        why = f"beside the truth {sheet.roles['truth']!r}, predictions are named"
        predicted = [name for name in sheet.frame if _predicts(sheet, name)]
        labels = [name for name in predicted if is_text(sheet.frame[name])]
        named = named_columns(labels or predicted)
        if _FOLDS & {*sheet.known, *sheet.stated}:
            yield why, named
        # What would be asked next is asked at once.
        known = [name for name in sheet.frame if "fold" in spoken_for(name)]
        folds = [name for name in known if may_be(sheet.frame[name], "fold")] or ["FOLD"]
        yield why, *[f"{named} {option('fold', one)}" for one in (*folds[:2], NONE)]
    if not sheet.learners:
        listed = ", ".join(map(repr, sheet.left[:6])) or "none"
        why = f"no column of numbers is left for a learner; without a role: {listed}"
        yield why, "--learner", "--columns A,B"
    if numbered(sheet.learners):
        yield "columns are called by numbers in order", *numbered(sheet.learners)
    yield from several_things(sheet)
    yield from _several_numbers(sheet.learners)
    yield from _other_numbers(sheet)


def with_columns_as_labels(frame: Any, said: Labels, chosen: list[str]) -> Any:
    """Return a frame with a row for each number, what is said of it, and its columns of learners, where names of columns are labels."""
    roles = [role for role, name in said.items() if name == COLUMNS and name not in frame]
    if not roles:
        return frame, said, chosen
    [role, *_], name = roles, said.get("learner")
    others = {one: own for one, own in said.items() if own not in (COLUMNS, name)}
    sheet = sheet_of(frame.drop(columns=name or []), others, {}, chosen, rows=SCORES)
    ask(sheet, *[_other_numbers] * (not chosen))
    numbers = sheet.learners
    rest = frame.drop(columns=numbers)
    parts = [rest.assign(**{role: one, "score": frame[one]}) for one in numbers]
    together = _check.package("pandas", "app").concat(parts, ignore_index=True)
    return together, said | {role: role, "value": "score"}, []


def several_things(sheet: Sheet) -> Found:
    """Find learners with names of roles or measures; of a mapping, fractions are of a learner."""
    of_a_table = hasattr(sheet.frame, "columns")
    for column in () if sheet.named else sheet.learners:
        why = f"column {column!r} may be several things"
        if asked(column) and (of_a_table or may_be(sheet.frame[column], "fold")):
            others = (name for name in sheet.learners if not asked(name))
            yield why, *options_for(column)[:_MOST_OPTIONS], named_columns(others)
        if of_a_table and len(sheet.learners) > 1 and role_of(column) in ("measure", "value"):
            yield why, "--columns A,B", option("value", column)


def _several_numbers(columns: list[str]) -> Found:
    """Find several numbers of a learner: ``rf`` and ``rf_std``, or a grid such as ``rf~Accuracy``, ``gbm~Kappa``."""
    for one, other in permutations(columns, 2):
        if _continues(one, other):
            why = f"{one!r} and {other!r} may be numbers of one learner"
            yield why, named_columns(columns), option("columns", *columns)
    grid = [option("metric", measure) for measure in grid_of(columns)]
    if grid:
        why = f"{columns[0]!r} and others look like a grid of measures"
        yield why, *grid[:_MOST_OPTIONS], "--columns A,B"


def _other_numbers(sheet: Sheet) -> Found:
    """Find labels, ids and counts: scores of a sheet are of one kind and size, whole, 1 and 0, or fractions."""
    frame = sheet.frame[sheet.learners]
    counts = [name for name in frame if not frame[name].dropna().isin([0, 1]).all()]
    whole = [name for name in counts if is_whole(frame[name])]
    for column in whole:
        values = frame[column].drop_duplicates()
        shared = values.isin(frame.drop(columns=column).to_numpy().ravel()).mean()
        odd = len(whole) < frame.shape[1] or shared < 0.5
        if frame.shape[1] == 1:
            odd = len(values) == len(frame) > 2
        if odd:
            why = f"column {column!r} holds whole numbers, unlike other learners"
            yield why, named_columns(frame.columns.drop(column)), *_of_column(sheet, column)
    sizes = frame.abs().max()
    large, small = sizes.idxmax(), sizes.idxmin()
    if sizes[large] > max(1.0, _APART * sizes[small]):
        why = f"numbers of {large!r} are many times as large as those of {small!r}"
        yield why, "--columns A,B", option("metric", small), option("metric", large)
    measures = [name for name in frame if score_words(name) is not None]
    if 0 < len(measures) < frame.shape[1]:
        why = f"column {measures[0]!r} is called like a measure, and others are not"
        yield why, "--columns A,B", option("metric", measures[0])
    for column in filter(lambda name: is_text(sheet.frame[name]), sheet.left):
        cells = sheet.frame[column].dropna().astype(str)
        if cells.str.fullmatch(_LIKE_A_NUMBER).mean() >= 0.5:
            why = f"column {column!r} holds text that is like numbers; mend it if it is a learner"
            yield why, option("ignore", column)


def _of_column(sheet: Sheet, column: str) -> list[str]:
    """Return what a column may be: as its name says, else as its values look, the likeliest first."""
    values = sheet.frame[column]
    likely: tuple[str, ...] = ("groups", "example")
    if values.is_unique:
        likely = ("example", "split", "time")
    elif not is_text(values) and values.nunique() < FEWEST:
        likely = ("fold", "groups", "seed")
    roles = asked(column) or [role for role in spoken_for(column) if role in INDEX] or likely
    others = sheet.frame.drop(columns=column)
    if is_text(values) and any({*values} <= {*others[name]} for name in others):
        roles = ["truth"]  # of labels and predictions, the shorter name
    known = {*sheet.roles, *sheet.stated}
    if sheet.of_tests and "example" not in known:
        known |= {"seed", "answer"}
    return [option(role, column) for role in roles if role not in known][:_MOST_OPTIONS]


def named_columns(columns: Iterable[str]) -> str:
    """Return the option that names learners: the columns that may be such and continue no other's name, where they are few."""
    names = list(columns)
    found = [name for name in names if not any(_continues(one, name) for one in names)]
    return option("columns", *found) if 0 < len(found) <= _MOST_NAMED else "--columns A,B"


def _continues(one: str, other: str) -> bool:
    """Tell whether a name is another one and more, as ``rf_std`` is of ``rf``."""
    return re.match(re.escape(one) + r"[^A-Za-z0-9]", other) is not None


def _predicts(sheet: Sheet, column: str) -> bool:
    """Tell whether a column may hold predictions beside the truth: numbers, or labels of the truth."""
    if column not in (*sheet.learners, *sheet.left):
        return False
    cells, truth = sheet.frame[column].dropna(), sheet.frame[sheet.roles["truth"]]
    if is_text(cells):
        return bool(cells.isin(truth).all())
    of_decimals = truth.dtype.kind == "f" and not is_whole(truth)
    numbering = is_whole(cells) and (of_decimals or {*spoken_for(column)} & {*INDEX})
    return not (numbering or asked(column) or role_of(column) == "aside")


def gaps(sheet: Sheet) -> Found:
    """Find rows without a label."""
    for role, name in sheet.roles.items():
        empty = sheet.frame[name].isna()
        if empty.any():
            yield f"{name!r} is empty in row {empty.argmax() + 1}", option(role)


def unsaid_seed(sheet: Sheet) -> Found:
    """Find seeds that were taken by their name, and may be of training or of splits drawn anew."""
    seed = sheet.roles.get("seed")
    drawn = "repeat" if {"fold", "split", "repeat"} & sheet.known else "split"
    settled = "seed" in sheet.said or (drawn == "split" and "example" in sheet.known)
    if seed and not (settled or {DATA_SETS, RUNS} & {sheet.rows, sheet.kind}):
        why = f"seeds {seed!r} of training, or of splits drawn anew"
        one_each = sheet.rows == SCORES and drawn == "split"
        runs = [option("kind", RUNS)] * one_each
        shared = not (runs and sheet.long and sheet.frame[seed].is_unique)
        yield why, *[option(role, seed) for role in ("seed", drawn) if shared], *runs


def unsaid_fold(sheet: Sheet) -> Found:
    """Find folds that were taken by their name, and may number random splits."""
    fold = sheet.roles.get("fold")
    settled = sheet.kind or "fold" in sheet.said or {"repeat", *SIZES} & sheet.known
    if fold and sheet.rows == SCORES and not settled and not spoken(sheet.frame[fold]):
        why = f"column {fold!r} numbers folds, or random splits"
        yield why, option("fold", fold), option("split", fold)


def rows_alike(sheet: Sheet) -> Found:
    """Find rows of a learner that roles do not tell apart, and the column that does."""
    frame, roles = sheet.frame, sheet.roles
    apart = PLACES if sheet.of_tests else (*PLACES, "time")
    key = [roles[role] for role in apart if role in roles]
    in_order = sheet.of_tests and "example" not in roles
    if sheet.kind == RUNS and not key:  # each row is a run
        return
    if sheet.long and (in_order or not key):
        role = "example" if sheet.of_tests else "split" if sheet.kind == "subsampling" else "fold"
        numbers = {roles["learner"], *sheet.learners}
        free = [name for name in frame if name not in numbers and may_be(frame[name], "example")]
        why = "no role tells the rows of a learner apart"
        for size in (1, 2, 3):
            several: Any = combinations(free[:_MOST_KEYS], size)
            keys = [
                names for names in several if not frame.duplicated([roles["learner"], *names]).any()
            ]
            if keys:
                yield why, *(option(role, *names) for names in keys[:3])
        yield f"{why}; add a column that numbers them", option(role)
    key += [roles["learner"]] if sheet.long else []
    if not key or in_order or not frame.duplicated(key).any():
        return
    same, of_sets = " and ".join(map(repr, key)), DATA_SETS in (sheet.rows, sheet.kind)
    unsaid = [role for role in ("learner", "dataset") if role not in sheet.known]
    own = ["repeat", "seed", *["answer"] * (not of_sets)]
    for column in sheet.left:
        text = is_text(frame[column])
        labels = text or is_whole(frame[column])
        if labels and not (frame[column].is_unique or frame.duplicated([*key, column]).any()):
            options = options_for(column, [*unsaid * text, *own])[:4]
            why = f"rows are alike in {same}, and {column!r} tells them apart"
            if of_sets and {*unused_by(DATA_SETS)} & {*says(options[0])}:
                options, why = [], f"{why}; keep those of one value"
            yield why, *options
    why = f"rows are alike in {same}, and no column tells them apart, or they are copies"
    yield f"{why}; number them", *map(option, [*(unsaid if of_sets else ["example"]), *own])


def shared_values(sheet: Sheet) -> Found:
    """Find columns without a role whose values rows share: they may have one.

    Facts of a learner or data set may stand in columns of their own, and so may other names of what has a role, and
    windows of times that rows share: methods for time allow for neighbours that are alike.
    """
    frame = sheet.frame
    places = [sheet.roles[role] for role in ("time", "learner") if role in sheet.roles]
    shared_times = "time" in sheet.roles and frame.duplicated(places).any()

    def settles(owner: str, column: str) -> bool:
        return bool(frame.groupby(owner)[column].nunique().max() <= 1)

    shared = []
    for column in sheet.left:
        values = frame[column].dropna()
        decimals = values.dtype.kind == "f" and not is_whole(values)
        if decimals or not 1 < values.nunique() < len(values):
            continue
        settled = any(
            settles(name, column) and (role in ("learner", "dataset") or settles(column, name))
            for role, name in sheet.roles.items()
        )
        # Each row of a learner has a value of its own, or it is a learner that was not named.
        apart = sheet.long and not frame.duplicated([sheet.roles["learner"], column]).any()
        learner = any(values.isin(frame[name]).all() for name in sheet.learners)
        window = shared_times and _follow(frame, places[0], column)
        if not (settled or apart or learner or window):
            shared.append(column)
    if shared:
        why = f"rows share values of {', '.join(map(repr, shared[:4]))}, and it may matter"
        yield why, *_of_column(sheet, min(shared, key=len)), option("ignore", *shared)


def _follow(frame: Any, time: str, column: str) -> bool:
    """Tell whether the values of a column follow each other in time, as windows do."""
    ordered = frame.sort_values(
        [time, column], key=lambda own: own.astype(str) if is_text(own) else own
    )[column]
    return bool((ordered != ordered.shift()).sum() == ordered.nunique())


def words_for_numbers(sheet: Sheet) -> Found:
    """Find learners whose cells are no numbers."""
    for name in sheet.learners if sheet.rows != PREDICTIONS else ():
        cells = sheet.frame[name].dropna()
        words = cells[_check.package("pandas", "app").to_numeric(cells, errors="coerce").isna()]
        if len(words):
            why = f"{name!r} holds {words.iloc[0]!r}; write numbers alone, 1 and 0 for right and wrong"
            yield why, "--value" if sheet.long else "--columns A,B"


def unsaid_test_set(sheet: Sheet) -> Found:
    """Find predictions of which nobody says whether one model has made them, or one for each fold."""
    if sheet.rows != PREDICTIONS:
        return
    if "answer" in sheet.known:
        yield ("of several answers the losses are averaged; give these, as to errbar.from_losses",)
    if not _FOLDS & {*sheet.roles, *sheet.stated}:
        yield "predictions of one test set, or of several folds", "--fold none", "--fold"


def codes(sheet: Sheet) -> Found:
    """Find a code for no value: the one negative number, a whole one, among many that are no marks."""
    if sheet.rows == PREDICTIONS:
        return
    numbers = sheet.frame[sheet.learners].astype(float).stack()
    code = numbers.min()
    others = numbers[numbers != code]
    marks = others.isin([0, -code]).all() or (others < 0).any()
    if code < 0 and code % 1 == 0 and len(others) >= FEWEST and not marks:
        yield (f"{code:g} is the one negative number; write nothing where it stands for no value",)


def summaries(values: Any) -> Found:
    """Find a row at the end that sums up those above, to its decimals, or holds counts, and a first one that sums up those below."""
    numbers, size = values.where(values.notna(), np.nan).astype(float), len(values)
    # Up to eight rows may sum up, and up to three of them stand between one and what it sums up.
    ends = range(max(3, size - 8), size)
    parts = [
        (row, numbers.iloc[:cut]) for row in ends for cut in range(row, max(3, row - 3) - 1, -1)
    ]
    parts += [(0, numbers.iloc[1:])] * (size > 3)
    for row, others in parts if numbers.shape[1] > 1 and size <= _MOST_ROWS else ():
        own = numbers.iloc[row]
        decimals = next(
            d for d in range(17) if np.allclose(own, own.round(d), 0, 1e-12, equal_nan=True)
        )
        unit = 10.0**-decimals
        chance = (unit / (others.max() - others.min())).prod()
        summed = (np.allclose(own, one, 0, 0.51 * unit) for one in _sums_of(others))
        counts = decimals == 0 and own.min() > 1.0 >= others.abs().max(axis=None)
        copied = (others == own).all(axis=1).any()  # as a median may be
        if counts or (chance < _BY_CHANCE and not copied and any(summed)):
            yield (f"row '{values.index[row]}' sums up the others; remove it",)


def _sums_of(rows: Any) -> Iterator[Any]:
    """Yield what people write below rows: mean, sum, median, geometric mean, mean rank, rank of the mean."""
    yield from (rows.mean(), rows.sum(), rows.median())
    if (rows.min() > 0).all():
        yield np.exp(np.log(rows).mean())
    for up in (True, False):
        yield from (rows.rank(axis=1, ascending=up).mean(), rows.mean().rank(ascending=up))


OF_ROWS = (
    unsaid_seed,
    unsaid_fold,
    rows_alike,
    shared_values,
    words_for_numbers,
    codes,
    unsaid_test_set,
)


def repeated_truth(truth: Any) -> Found:
    """Find that the truth repeats itself, as it does where the same examples were predicted several times."""
    values = np.asarray(truth)
    codes, counts = np.unique(values.astype(str), return_inverse=True, return_counts=True)[1:]
    size = codes.size
    periods = (p for p in range(1, size // 2 + 1) if size % p == 0)
    period = next((p for p in periods if (codes[p:] == codes[:-p]).all()), size)
    # Hardly any other examples have the same order, unless it is sorted.
    changes = (codes[1:period] != codes[: period - 1]).sum()
    if size - period >= FEWEST and changes >= FEWEST // 2:
        yield f"the truth starts anew every {period} rows", "--example", "--repeat"
    times = np.gcd.reduce(counts)
    fractions = values.dtype.kind == "f" and (values % 1 != 0).any()
    if fractions and counts.size > FEWEST and times > 1:
        yield f"each value of the truth stands there {times} times", "--example", "--repeat"


def odd_values(given: tuple[Sheet, Columns]) -> Found:
    """Find learners that nobody named and are equal, rows that sum up or copy others, and codes for no value."""
    sheet, found = given
    labels, pandas = found.labels, _check.package("pandas", "app")
    frame = pandas.DataFrame(found.learners)
    for one, other in () if sheet.named else combinations(frame, 2):
        # That learners agree on all of a few questions is no wonder.
        several = frame[one].nunique() > 4 or len(frame) > FEWEST
        if several and (frame[one] == frame[other]).all():
            yield f"learners {one!r} and {other!r} have equal values", "--columns A,B"
    places = {role: labels[role] for role in PLACES if role in labels}
    for role in {*_NUMBERED} & {*places}:
        texts = pandas.Series(places[role]).astype(str)
        odd = texts[~texts.str.fullmatch(r"\D*\d+(\.0)?")]
        if 0 < len(odd) <= 3 < len(texts) - len(odd):
            yield (f"a row is {odd.iloc[0]!r} in `{role}`, and others are numbered; remove it",)
    if not all(kind.kind in "iuf" for kind in frame.dtypes) or np.isinf(frame).any(axis=None):
        return
    various = (2 * frame.nunique() > len(frame)).sum()
    copies = frame.assign(**places).duplicated().mean()
    if "example" not in labels and various > 1 and copies > _COPIES:
        # Most numbers of several learners stand there once, and yet rows are alike.
        yield f"{copies:.0%} of the rows are copies of others; remove them", "--example", "--repeat"
    of_splits = sheet.rows == SCORES and sheet.kind != DATA_SETS
    for name, own in frame.items() if of_splits else ():
        shares = own[own.between(0.0, 1.0, inclusive="neither")]
        odd = own[((own < 0.0) & (own % 1 == 0.0)) | (own > _APART * shares.max())]
        if len(odd) and 2 * len(shares) >= len(own):
            yield (f"{name!r} holds {odd.iloc[0]:g} among shares; write one unit, or nothing",)


# Rows that are copies of others: random splits test on copies of what was trained.

FEW, MANY = 0.01, 0.25
"""Below the first share of rows copies hardly move an error; from the second on, they make most of it."""
MOST_EQUAL = 20
"""A row that stands there more often is one of its own, such as people who bought nothing."""
_ODD = np.uint64(0x9E3779B97F4A7C15)


def copies(X: Any, y: Any, groups: Any = None, *, refused: bool = True) -> Iterator[Note]:
    """Yield a note if a hundredth of the rows are copies; refuse a quarter, unless not `refused`.

    Copies within a group do not count, since they are never split up.
    """
    count, rows = copied_rows(X, y, groups), len(y)
    if refused and count >= MANY * rows:
        raise InvalidInputError(
            f"{count} of {rows} rows are copies; remove them, or give copies one of --groups (`groups`)"
        )
    if count >= FEW * rows and count > 0:
        yield Note("copies", copies=count, rows=rows)


def copied_rows(X: Any, y: Any, groups: Any = None) -> int:
    """Return how many rows agree with an earlier one in every feature and the target.

    Tables of few values have equal rows by nature. So a row counts only if some number is that of its
    copies alone, in a column in which most different rows have a number of their own.
    """
    rows, columns = _digests(X)
    if rows is None:
        return 0
    rows = _with_labels(rows, y)
    ordered = np.sort(rows)  # a sixtieth of the time of np.unique
    if (ordered[1:] != ordered[:-1]).all():
        return 0
    if groups is not None:
        kept = np.unique(_with_labels(rows, groups), return_index=True)[1]
    else:
        kept = np.arange(rows.size)
    _, first, times = np.unique(rows[kept], return_index=True, return_counts=True)
    alone = np.zeros(first.size, dtype=bool)
    for column in (*columns, *[y] * (y.dtype.kind in "iuf")):
        _, code, uses = np.unique(column[kept[first]], return_inverse=True, return_counts=True)
        own = uses[code] == 1
        if own.mean() > 0.5:
            alone |= own
    return int((times[alone & (times <= MOST_EQUAL)] - 1).sum())


def _digests(X: Any) -> tuple[Any, list[Any]]:
    """Return a number for each row, the same for equal rows, None where cells cannot be compared; and columns of numbers."""
    if hasattr(X, "select_dtypes"):
        from pandas.util import hash_pandas_object

        try:
            rows = np.asarray(hash_pandas_object(X, index=False))
        except TypeError:  # of lists, for instance
            return None, []
        return rows, list(X.select_dtypes("number").to_numpy(dtype=float, na_value=np.nan).T)
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "biuf":
        return None, []
    rows = np.ascontiguousarray(X, dtype=float)
    digests = np.fromiter((hash(row.tobytes()) for row in rows), np.int64, len(rows))
    return digests.view(np.uint64), list(X.T)


def _with_labels(rows: Any, labels: Any) -> Any:
    codes = np.unique(labels, return_inverse=True)[1].astype(np.uint64)
    return rows * _ODD + codes
