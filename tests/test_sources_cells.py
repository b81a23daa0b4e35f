"""Numbers as people write them in cells."""

import numpy as np
import pandas as pd
import pytest
from errbar.sources._numerals import number_texts


def read(cells, *of_file, **how):
    texts = number_texts(pd.Series(cells))
    return texts and texts.read(*of_file, **how)


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
