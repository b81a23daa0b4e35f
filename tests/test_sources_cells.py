"""Cells as people write them: numbers with marks, words for no value, classes in two spellings, copies, and columns that tell the target."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import errbar
from errbar.errors import InvalidInputError
from errbar.losses._sample import target_of
from errbar.sources._numerals import number_texts
from tests.refusals import refused

COUNT = 300


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.fixture
def write(tmp_path):
    def written(content, name="data.csv", **how):
        if isinstance(content, str):
            (tmp_path / name).write_text(content, encoding="utf-8")
        else:
            content.to_csv(tmp_path / name, index=False, **how)
        return tmp_path / name

    return written


def note(found, code):
    """The numbers of the one note with a code."""
    return next((one.numbers for one in found.notes if one.code == code), {})


def read_as(found, kind):
    """The names of one kind, on one line."""
    return " | ".join(map(str, note(found, "read").get(kind, ())))


def read(cells, *of_file, **how):
    texts = number_texts(pd.Series(cells))
    return texts and texts.read(*of_file, **how)


def german(value):
    return f"{value:,}".replace(",", ".")


class TestNumerals:
    @pytest.mark.parametrize(
        ("cells", "numbers"),
        [
            (["$404,698", "$1,000"], [404698, 1000]),
            (["404.698,43 EUR", "12,00 EUR"], [404698.43, 12]),
            (["4,433", "868"], [4433, 868]),
            (["4.433 EUR", "868 EUR"], [4433, 868]),
            (["0,123", "1,234"], [0.123, 1.234]),
            (["162.4 m²", "-", "3 m²"], [162.4, np.nan, 3]),
            (["5%", "?", "7.5 %", "#DIV/0!", "k.A."], [5, np.nan, 7.5, np.nan, np.nan]),
            (["-1.234,50", "3,5"], [-1234.5, 3.5]),
            (["1'234.50", "1 234"], [1234.5, 1234]),
            (["-€5", "€ -6", "−€7"], [-5, -6, -7]),
            (["1 year", "2 years", "0"], [1, 2, 0]),
            (["1 Jahr", "3 Jahre"], [1, 3]),
            (["0", "$31.99"], [0, 31.99]),
            (["0%", "0.0", "35%"], [0, 0, 35]),
            (["(2,048)", "17"], [-2048, 17]),
            (["($45)", "$(4)", "$1"], [-45, -4, 1]),
            (["45-", "3"], [-45, 3]),
            (["0", "-"], [0, np.nan]),
            (["€110.5M", "€565K", "€0", "0"], [110.5e6, 565e3, 0, 0]),
            (["19M", "8.7k", "512"], [19e6, 8700, 512]),
            (["300 K", "290 K"], [300, 290]),
            (["CHF 12.-", "CHF 3.50"], [12, 3.5]),
        ],
    )
    def test_numbers(self, cells, numbers):
        found = read(cells)
        assert found is not None
        np.testing.assert_array_equal(found.numbers, numbers)

    @pytest.mark.parametrize(
        "cells",
        [
            ["12%", "12"],
            ["1 kg", "5 g"],
            ["01.02.2024"],
            ["10:30"],
            ["P-1000"],
            ["-", "?"],
            ["1,5", "0.3"],
            ["3", "x"],
            ["12345678901234567"],
            ["01234", "10115"],
            ["6x3", "5x2"],
            ["12 Main St", "7 Oak Rd"],
            ["3", "3 or more"],
            ["5 (3)", "6 (1)"],
            ["18-24", "25-34"],
        ],
    )
    def test_what_is_no_number(self, cells):
        assert read(cells) is None

    def test_the_rest_of_the_file_decides(self):
        assert read(["4.433", "868"], ",").numbers.tolist() == [4433, 868]
        assert read(["4.433", "868"]).numbers.tolist() == [4.433, 868]
        assert read(["4.433", "1868"], ",").numbers.tolist() == [4.433, 1868]
        assert read(["4,433", "868"], custom=",").numbers.tolist() == [4.433, 868]


class TestFiles:
    def test_points_for_thousands_beside_decimal_commas(self, rng, write):
        sales, rate = rng.integers(100, 9999, COUNT), rng.normal(size=COUNT).round(2)
        frame = pd.DataFrame({"sales": map(german, sales), "rate": [str(one).replace(".", ",") for one in rate]})
        frame["day"] = [f"{1 + i % 28:02}.02.2024" for i in range(COUNT)]
        frame["y"] = rng.permutation(sales)
        found = errbar.read_examples(write(frame, sep=";"), "y", features="day")
        assert (found.X["sales"] == sales).all()
        assert (found.X["rate"] == rate).all()
        assert found.columns["day"] == "date"
        assert "sales (" in read_as(found, "numbers")
        assert "rate (" in read_as(found, "numbers")

    def test_commas_for_thousands_between_semicolons(self, rng, write):
        value = rng.integers(100, 9999, COUNT)
        frame = pd.DataFrame({"price": [f"{one:,}" for one in value], "y": rng.permutation(value)})
        found = errbar.read_examples(write(frame, sep=";"), "y")
        assert found.X.ravel().tolist() == value.tolist()
        assert "price (" in read_as(found, "numbers")

    def test_a_name_twice(self, write):
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write("a,y,y\n1,0,0\n2,1,1\n"), "y")
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write('"x,y","x,y",z\n1,0,0\n2,1,1\n'), "z")
        found = errbar.read_examples(write('"x,y","x\ny",z\n1,0,0\n2,1,1\n3,5,3\n'), "z")
        assert set(found.columns) == {"x,y", "x\ny"}

    @pytest.mark.parametrize(
        "text",
        [
            "sep=;\na;b;y\n1;2;3\n4;5;7\n",
            "a|b|y\n1|2|3\n4|5|7\n",
            "# export\n# of May, 2024\na,b,y\n1,2,3\n4,5,7\n",
        ],
    )
    def test_what_stands_before_and_between(self, write, text):
        found = errbar.read_examples(write(text, "data.txt"), "y")
        assert found.X.tolist() == [[1, 2], [4, 5]]
        assert bool(read_as(found, "comment_lines")) == text.startswith("#")

    def test_blanks_between_cells(self, write):
        found = errbar.read_examples(write('a "b c"  y\n1 2 3\n4  5 7\n', "data.txt"), "y")
        assert found.X.tolist() == [[1, 2], [4, 5]]
        assert set(found.columns) == {"a", "b c"}
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write('"a" "y"\n"1" 2 3\n"2" 5 7\n', "r.txt"), "y")

    def test_a_mark_at_the_end_of_each_row(self, write):
        """Of such a file pandas makes an index of the first column, so that every column has the numbers of the next."""
        for text in ("a,b,y\n1,2,0,\n2,5,1,\n3,1,4,\n", "a;b;y\n1;2;0;\n2;5;1;\n3;1;4;\n"):
            found = errbar.read_examples(write(text), "y")
            assert found.X.tolist() == [[1, 2], [2, 5], [3, 1]]
            assert found.y.tolist() == [0, 1, 4]
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write("a,b,y\n1,2,0,\n2,5,1,\n3,1,4,x\n"), "y")

    def test_other_quotes(self, write):
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write("a,y\n1,2\n'x, z',7\n"), "y")

    def test_codes_with_zeros_in_front(self, rng, write):
        zips = rng.choice([f"{i:05}" for i in rng.integers(99, 99999, 60)], COUNT)
        frame = pd.DataFrame({"zip": zips, "month": [f"{i:02}" for i in rng.integers(1, 13, COUNT)]})
        frame.loc[3, "zip"] = None
        found = errbar.read_examples(write(frame.assign(y=rng.normal(size=COUNT))), "y")
        assert found.columns == {"zip": "text", "month": "number"}
        assert found.X["zip"].dropna().tolist() == frame["zip"].dropna().tolist()
        assert note(found, "read")["text_of_digits"] == ("zip",)

    def test_a_header_that_begins_with_a_hash(self, write):
        assert set(errbar.read_examples(write("#a,b,y\n1,2,3\n4,5,7\n"), "y").columns) == {"#a", "b"}

    def test_near_names_come_first(self, rng, write):
        frame = pd.DataFrame(rng.normal(size=(30, 40)), columns=[f"g{i}" for i in range(39)] + ["outcome"])
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "outcom")


class TestParquet:
    def test_index_lists_and_durations(self, rng, tmp_path):
        frame = pd.DataFrame({"x": rng.normal(size=50), "y": rng.normal(size=50)})
        frame["td"] = pd.to_timedelta(rng.integers(0, 99, 50), "h")
        frame["lists"] = [[1, 2]] * 50
        frame.index = pd.Index(["u", "v"] * 25, name="colour")
        frame.to_parquet(tmp_path / "data.parquet")
        with pytest.raises(InvalidInputError):
            errbar.read_examples(tmp_path / "data.parquet", "y")
        found = errbar.read_examples(tmp_path / "data.parquet", "y", drop="lists")
        assert found.columns == {"colour": "text", "x": "number", "td": "number"}
        assert found.X["td"].to_numpy() == pytest.approx(frame["td"].dt.total_seconds().to_numpy() / 86400)
        assert note(found, "read")["days"] == ("td",)


class TestTarget:
    def test_money_is_a_number(self, rng, write):
        price = rng.integers(1000, 900000, COUNT)
        found = errbar.read_examples(
            write(pd.DataFrame({"x": rng.normal(size=COUNT), "p": [f"${one:,}" for one in price]})), "p"
        )
        assert found.y.tolist() == price.tolist()
        assert "p (" in read_as(found, "numbers")

    def test_shares_that_are_classes_stay_text(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.choice(["2.5%", "5%", "10%"], COUNT)})
        assert set(errbar.read_examples(write(frame), "y").y) == {"2.5%", "5%", "10%"}

    def test_gaps_in_numbers(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.integers(100, 999, COUNT).astype(str)})
        frame.loc[[3, 9], "y"] = "-"
        found = errbar.read_examples(write(frame), "y")
        assert len(found.y) == COUNT - 2
        assert "'-' in 2 rows" in read_as(found, "read_as_no_value")
        frame.loc[9, "y"] = "about 7"
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")

    def test_text_that_is_read_as_no_value(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.choice(["mild", "severe"], COUNT)})
        frame.loc[range(5), "y"] = "None"
        assert "'None' in 5 rows" in read_as(errbar.read_examples(write(frame), "y"), "read_as_no_value")
        frame.loc[range(95), "y"] = "None"
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")
        frame.loc[range(95), "y"] = ""
        assert len(errbar.read_examples(write(frame), "y").y) == COUNT - 95

    def test_spellings_of_a_class(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.choice(["ja", "nein", "ja "], COUNT)})
        found = errbar.read_examples(write(frame), "y")
        assert set(found.y) == {"ja", "nein"}
        assert note(found, "read")["blanks_stripped"] == ("y",)
        frame.loc[:9, "y"] = "Ja"
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")
        for classes in ({"a", "A"}, {"AA", "Aa", "aa"}):
            frame["y"] = rng.choice(list(classes), COUNT)
            assert set(errbar.read_examples(write(frame), "y").y) == classes

    def test_a_single_class_beside_gaps(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": np.where(np.arange(COUNT) % 2, "TRUE", "")})
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")

    def test_a_class_beside_numbers(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.choice(["0", "1", "2", "unknown"], COUNT)})
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")
        frame["y"] = frame["y"].replace("unknown", "NA")
        assert set(errbar.read_examples(write(frame), "y").y) == {0, 1, 2}

    def test_a_class_with_a_single_row(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.choice(["yes", "no"], COUNT)})
        assert not read_as(errbar.read_examples(write(frame), "y"), "rare_classes")
        frame.loc[5, "y"] = "unknown"
        assert read_as(errbar.read_examples(write(frame), "y"), "rare_classes") == "unknown (1)"

    def test_whole_numbers_with_a_gap_stay_whole(self, write):
        assert errbar.read_examples(write("x,y\n1,0\n2,\n5,1\n7,0\n"), "y").y.tolist() == [0, 1, 0]

    @pytest.mark.parametrize(
        ("classes", "named", "place"),
        [([0.0, 1.0], "1", 1), ([False, True], "TRUE", 1), ([False, True], "false", 0), ([0, 1], "1.0", 1)],
    )
    def test_a_class_as_the_command_line_names_it(self, classes, named, place):
        assert target_of(np.array(classes), "classification").position(named) == place

    def test_a_class_that_is_none(self):
        for classes, named in (([False, True], "1"), ([0, 1], "yes"), (["yes", "no"], "YES")):
            with refused("positive"):
                target_of(np.array(classes), "classification").position(named)

    def test_the_text_that_is_no_number_is_named(self):
        with pytest.raises(InvalidInputError):
            target_of(np.array(["1", "x"]), "regression")


class TestFeatures:
    def test_marks_units_and_gaps(self, rng, write):
        area = rng.normal(100, 20, COUNT).round(1)
        frame = pd.DataFrame({"area": [f"{one} m²" for one in area], "y": rng.normal(size=COUNT)})
        frame.loc[4, "area"] = "-"
        found = errbar.read_examples(write(frame), "y")
        np.testing.assert_array_equal(found.X["area"], np.where(np.arange(COUNT) == 4, np.nan, area))
        assert "m²', gaps: '-')" in read_as(found, "numbers")
        frame.loc[5, "area"] = "large"
        found = errbar.read_examples(write(frame), "y")
        assert found.columns["area"] == "prose"
        assert read_as(found, "odd_cells") == "area: 'large' in row 6"

    @pytest.mark.parametrize("odd", ["X", "<0.01", "LINE"])
    def test_a_number_in_text_is_text_for_every_learner(self, rng, write, odd):
        """Learners of scikit-learn convert text where they can, so training sets without the odd cell would be read otherwise."""
        frame = pd.DataFrame({"lab": rng.integers(1, 90, COUNT).astype(str), "y": rng.normal(size=COUNT)})
        frame.loc[5, "lab"] = odd
        found = errbar.read_examples(write(frame.assign(x=rng.normal(size=COUNT))), "y")
        assert f"{odd!r} in row 6" in read_as(found, "odd_cells")
        learner = found.prepared({"a": LinearRegression()})["a"].fit(found.X[10:], found.y[10:])
        assert learner.fitted_[-1].coef_.size > 80
        learner.predict(found.X)

    def test_text_that_could_be_converted(self, rng, write):
        frame = pd.DataFrame({"code": rng.choice(["1_0", "2_0", "3_4"], COUNT), "y": rng.normal(size=COUNT)})
        found = errbar.read_examples(write(frame), "y")
        assert found.prepared({"a": LinearRegression()})["a"].fit(found.X, found.y).fitted_[-1].coef_.size == 3
        own = make_pipeline(
            ColumnTransformer([("code", OneHotEncoder(categories=[["1_0", "2_0", "3_4"]]), ["code"])]),
            LinearRegression(),
        )
        assert found.prepared({"a": own})["a"].fit(found.X, found.y).fitted_[-1].coef_.size == 3

    def test_numbers_that_stand_for_no_value(self, rng, write):
        frame = pd.DataFrame(
            {"k": rng.normal(4, 0.5, COUNT), "age": rng.integers(1, 99, COUNT), "y": rng.normal(size=COUNT)}
        )
        assert not read_as(errbar.read_examples(write(frame), "y"), "stand_ins")
        frame.loc[:9, "k"] = -999
        frame.loc[20:24, "age"] = 999
        told = read_as(errbar.read_examples(write(frame), "y"), "stand_ins")
        assert told == "-999 in 10 rows of k | 999 in 5 rows of age"

    def test_numbers_too_large_for_floating_point_are_names(self, rng, write):
        account = rng.choice(10**18 + np.arange(50), COUNT)
        found = errbar.read_examples(write(pd.DataFrame({"account": account, "y": rng.normal(size=COUNT)})), "y")
        assert found.columns == {"account": "text"}
        assert found.X["account"].nunique() == 50
        assert note(found, "read")["text_of_digits"] == ("account",)
        own = errbar.read_examples(
            write(pd.DataFrame({"x": 1.5, "txn": 4 * 10**18 + rng.permutation(COUNT), "y": account})), "y"
        )
        assert own.columns["txn"] == "name"

    def test_texts_that_differ_in_capitals(self, rng, write):
        frame = pd.DataFrame({"plan": rng.choice(["Basic", "basic", "Pro"], COUNT), "y": rng.normal(size=COUNT)})
        told = read_as(errbar.read_examples(write(frame), "y"), "alike_but_capitals")
        assert told == "plan: Basic, basic"

    def test_an_infinite_number(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "y": rng.normal(size=COUNT)})
        frame.loc[3, "x"] = np.inf
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y")

    def test_columns_that_tell_nothing(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "one": 1, "none": None, "y": rng.normal(size=COUNT)})
        found = errbar.read_examples(write(frame), "y")
        assert (note(found, "read")["empty"], note(found, "read")["constant"]) == (("none",), ("one",))
        assert not {"gaps_filled", "gaps_as_text"} & set(note(found, "read"))

    def test_no_feature_is_left(self, rng, write):
        frame = pd.DataFrame({"name": [f"n{i}" for i in range(299)] + ["n1"], "y": rng.normal(size=300)})
        found = errbar.read_examples(write(frame), "y")
        with pytest.raises(InvalidInputError):
            found.prepared({"a": LinearRegression()})["a"].fit(found.X, found.y)

    def test_months_are_a_time(self, rng, write):
        frame = pd.DataFrame(
            {"x": rng.normal(size=COUNT), "when": [f"{2000 + i % 20}-{1 + i % 12:02}" for i in range(COUNT)]}
        )
        found = errbar.read_examples(write(frame.assign(y=rng.normal(size=COUNT))), "y")
        assert found.columns["when"] == "date"
        assert "looks-like" in [one.code for one in found.notes]

    @pytest.mark.parametrize("how", ["%d %B %Y", "%d-%b-%Y", "%d.%m.%y", "%B %d, %Y", "%Y/%m/%d"])
    def test_dates_that_are_not_read(self, rng, write, how):
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.permutation(COUNT), "D")
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "when": days.strftime(how), "y": rng.normal(size=COUNT)})
        assert "when (" in read_as(errbar.read_examples(write(frame), "y"), "dates_as_text")

    def test_text_that_is_no_date(self, rng, write):
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "code": "may be 12", "y": rng.normal(size=COUNT)})
        assert not read_as(errbar.read_examples(write(frame), "y"), "dates_as_text")


class TestLeaks:
    @pytest.mark.parametrize("kind", ["text", "number", "same"])
    def test_a_column_that_tells_all(self, rng, write, kind):
        x = rng.normal(size=COUNT)
        classes = x + rng.normal(size=COUNT) > 0
        frame = pd.DataFrame({"x": x, "region": rng.choice(list("NSEW"), COUNT), "y": classes.astype(int)})
        if kind == "text":
            frame["told"] = np.where(classes, rng.choice(["closed", "gone"], COUNT), "open")
        elif kind == "number":
            frame["told"] = classes * 50000 + rng.integers(10000, 20000, COUNT)
        else:
            frame["y"] = np.exp(x + rng.normal(size=COUNT)).round(3)
            frame["told"] = (1.19 * frame["y"]).round(2)
        assert note(errbar.read_examples(write(frame), "y"), "looks-like")["columns"] == ("told",)
        frame.loc[3, "told"] = frame["told"][np.flatnonzero(frame["y"] != frame["y"][3])[0]]
        assert kind == "same" or not note(errbar.read_examples(write(frame), "y"), "looks-like")

    @pytest.mark.parametrize("filled", ["2024-05-01", "moved away"])
    def test_gaps_that_tell_all(self, rng, write, filled):
        y = rng.choice(["yes", "no"], COUNT)
        frame = pd.DataFrame({"x": rng.normal(size=COUNT), "closed": np.where(y == "yes", filled, ""), "y": y})
        assert note(errbar.read_examples(write(frame), "y"), "looks-like")["columns"] == ("closed",)

    def test_independent_columns_tell_nothing(self, rng, write):
        for n in (12, 40, 200):
            frame = pd.DataFrame({f"t{i}": rng.choice(list("abcdefgh"), n) for i in range(150)})
            frame["y"] = rng.choice(["u", "v"], n, p=[0.1, 0.9])
            frame.loc[:1, "y"] = ["u", "v"]
            assert not note(errbar.read_examples(write(frame), "y"), "looks-like")


class TestCopies:
    @pytest.fixture
    def noise(self, rng):
        frame = pd.DataFrame(rng.normal(size=(200, 3)).round(3), columns=list("abc"))
        return frame.assign(y=rng.choice(["u", "v"], 200))

    def test_few_are_pointed_out_and_many_refused(self, noise, write):
        some = pd.concat([noise, noise[:20]])
        assert note(errbar.read_examples(write(some), "y"), "copies") == {"copies": 20, "rows": 220}
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(pd.concat([noise] * 3)), "y")
        assert note(errbar.read_examples(write(pd.concat([noise] * 3)), "y", timed=False), "copies")["copies"] == 400

    def test_groups_that_keep_them_together(self, noise, write):
        frame = pd.concat([noise.assign(unit=np.arange(200))] * 3)
        assert not note(errbar.read_examples(write(frame), "y", groups="unit"), "copies")
        assert not note(errbar.read_examples(write(frame[:201]), "y", groups="unit"), "copies")
        frame["unit"] = np.repeat([0, 1, 2], 200)
        with pytest.raises(InvalidInputError):
            errbar.read_examples(write(frame), "y", groups="unit")

    def test_a_single_copy_among_groups_is_passed_over(self, noise, write):
        frame = pd.concat([noise, noise[:1]]).assign(unit=np.arange(201) % 30)
        assert not note(errbar.read_examples(write(frame), "y", groups="unit"), "copies")

    def test_tables_that_have_copies_by_nature(self, rng, write):
        few = pd.DataFrame(
            {"a": rng.integers(3, size=COUNT), "b": rng.choice(["u", "v"], COUNT), "y": rng.integers(2, size=COUNT)}
        )
        assert not note(errbar.read_examples(write(few), "y"), "copies")
        value = rng.integers(100, 9999, COUNT)
        one = pd.DataFrame({"x": value, "y": value**2})
        assert not note(errbar.read_examples(write(one), "y"), "copies")
        zeros = np.where(rng.random(COUNT) < 0.3, 0.0, rng.normal(size=COUNT))
        assert not note(
            errbar.read_examples(write(pd.DataFrame({"x": zeros, "y": rng.integers(2, size=COUNT)})), "y"), "copies"
        )


def test_a_row_that_stands_there_very_often_is_no_copy(tmp_path):
    """People who bought nothing are many, and no copies of one of them."""
    rng = np.random.default_rng(0)
    spent = np.where(np.arange(600)[:, np.newaxis] < 330, 0.0, rng.gamma(2.0, 20.0, (600, 2)).round(2))
    frame = pd.DataFrame(spent, columns=["food", "wine"]).assign(bought=(spent[:, 0] > 0).astype(int))
    frame.to_csv(tmp_path / "basket.csv", index=False)
    found = errbar.read_examples(tmp_path / "basket.csv", "bought")
    assert "copies" not in {note.code for note in found.notes}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,2", "1,3", "2"], None),
        (["101.102.103.104", "101.102.103.105"], None),
        (["$2.093", "$1.999"], [2.093, 1.999]),
        (["8,744", "950", "42,048"], [8744, 950, 42048]),
    ],
)
def test_between_commas_a_comma_is_no_decimal_mark(tmp_path, cells, numbers):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"cells": cells * 40, "list": ["1,2", "1,3"] * (20 * len(cells)), "y": rng.normal(size=40 * len(cells))}
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    X = errbar.read_examples(tmp_path / "table.csv", "y").X
    assert X["list"].tolist() == frame["list"].tolist()
    assert X["cells"].tolist() == (frame["cells"].tolist() if numbers is None else numbers * 40)
