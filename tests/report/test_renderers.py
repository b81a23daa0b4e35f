"""How a report looks: complete, well-formed, and names stay text."""

import base64
import hashlib
import io
import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise

import pytest

from errbar import report
from errbar.report.cells import bounds, pvalue
from errbar.report.numbers import Scale
from errbar.report.renderers import latex as latex_renderer, markdown as markdown_renderer
from tests.report.comparisons import NASTY, constant, many, shifted, unknown_sizes
from tests.report.conftest import NAMES

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Reads a page and keeps what tests ask about."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.stack, self.attributes, self.tags, self.text = [], [], [], []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))
        if tag not in VOID:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.stack
        assert self.stack.pop() == tag

    def handle_data(self, data):
        self.text.append(data)

    def values(self, name):
        return [attrs[name] for _, attrs in self.attributes if name in attrs]


_sources = {}


def source_of(name, everything):
    """Return the page of a comparison; it is drawn once."""
    if name not in _sources:
        _sources[name] = report.html(everything[name])
    return _sources[name]


@pytest.fixture(params=NAMES)
def page(request, everything):
    found = Page(source_of(request.param, everything))
    found.name = request.param
    return found


@pytest.mark.long
def test_pages_are_well_formed(page):
    assert page.stack == []
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    for name in ("aria-labelledby", "aria-describedby"):
        assert set(page.values(name)) <= set(ids)


def test_pages_load_nothing_and_run_one_script_of_their_own(page, everything):
    assert not {"link", "img", "iframe", "object"} & set(page.tags)
    links = page.values("href") + page.values("src") + page.values("xlink:href")
    assert all(link.startswith("#") for link in links)
    assert not any(name.startswith("on") for _, attrs in page.attributes for name in attrs)
    [script] = re.findall(
        r"<script type=\"module\">(.*?)</script>", source_of(page.name, everything), re.DOTALL
    )
    assert page.tags.count("script") == 1
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    [policy] = [attrs["content"] for _, attrs in page.attributes if "http-equiv" in attrs]
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy
    assert not re.search(
        r"\beval\b|\bFunction\(|innerHTML|fetch\(|XMLHttpRequest|import\(|https?:", script
    )


def test_pages_can_be_heard(page):
    assert page.tags.count("main") == 1
    assert page.tags.count("h1") == 1
    assert all(
        attrs.get("scope") in ("col", "row") for tag, attrs in page.attributes if tag == "th"
    )
    assert page.attributes[0] == ("html", {"lang": "en"})
    for landmark in ("header", "nav", "footer"):
        assert page.tags.count(landmark) == 1
    assert all(
        attrs.get("aria-label") or attrs.get("aria-labelledby")
        for tag, attrs in page.attributes
        if tag in ("nav", "section")
    )
    [skip] = [
        attrs["href"]
        for tag, attrs in page.attributes
        if tag == "a" and attrs.get("class") == "skip"
    ]
    assert skip[1:] in page.values("id")
    assert page.tags.count("caption") == page.tags.count("table")


def test_headings_leave_out_no_level(page):
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_links_lead_somewhere(page):
    assert {link[1:] for link in page.values("href")} <= set(page.values("id"))


def test_rows_are_sorted_by_the_numbers_behind_them(everything):
    source = source_of("two", everything)
    assert '<td data-head="Score" data-value="10.9' in source
    [pair] = everything["two"].pairs
    assert f'data-value="{pair.adjusted}"' in source


def test_page_shows_the_conclusion(page, everything):
    shown = " ".join(
        "".join(page.text).replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-").split()
    )
    for sentence in report.conclude(everything[page.name]):
        assert sentence in shown


def test_style_refers_to_nothing_outside(everything):
    source = source_of("two", everything)
    assert "@import" not in source
    assert not re.search(r"url\((?!#)", source)
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source


def luminance(color):
    """Relative luminance of the Web Content Accessibility Guidelines 2.2."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


SCHEMES = re.findall(
    r"--paper: [^}]*", files("errbar.report").joinpath("templates/style.css").read_text("utf-8")
)


@pytest.mark.parametrize("scheme", SCHEMES, ids=["light", "dark", "print"])
def test_every_scheme_can_be_read(scheme):
    colors = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", scheme))
    for text in ("ink", "soft", "accent"):
        for ground in ("paper", "tint"):
            assert contrast(colors[text], colors[ground]) >= 4.5
    graphics = [
        colors.get("errbar-blue", "#0072b2"),
        colors.get("errbar-vermilion", "#d55e00"),
        colors["edge"],
    ]
    assert all(contrast(color, colors["paper"]) >= 3.0 for color in graphics)


def test_fragments_can_share_a_page(everything):
    fragments = [everything["single"]._repr_html_(), everything["single"]._repr_html_()]
    page = Page("".join(fragments))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert page.stack == []
    assert "html" not in page.tags
    assert "script" not in page.tags
    assert "main" not in page.tags


def test_same_comparison_gives_the_same_page(everything):
    assert report.html(everything["two"]) == source_of("two", everything)


def test_names_stay_text_in_html(everything):
    source = source_of("nasty", everything)
    assert source.count("<script") == 1
    assert "<script>" not in source
    assert "<b>" not in source
    page = Page(source)
    assert any(NASTY[0] in text for text in page.text)
    assert any(NASTY[1] in text for text in page.text)


def test_text_at_many_widths(comparison):
    wide = report.text(comparison, width=200, color=False)
    assert "\x1b" not in wide
    assert not wide.endswith("\n")
    for sentence in report.conclude(comparison):
        assert sentence in " ".join(wide.split())
    for width in (60, 80, 120):
        lines = report.text(comparison, width=width, color=False).splitlines()
        assert max(map(len, lines)) <= width


def test_text_never_cuts_digits(everything):
    shown = report.text(everything["two"], width=80, color=False)
    for digits in ("0.900", "[-0.139, 1.939]", "0.082", "0.019"):
        assert digits in shown
    assert "[-0.139, 1.939]" in report.text(everything["two"], width=120, color=False)


def test_markup_in_names_is_not_followed(nasty):
    assert NASTY[1] in report.text(nasty, width=200, color=False)


def test_color_only_where_wanted(everything, monkeypatch):
    assert "\x1b[" in report.text(everything["two"], color=True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in report.text(everything["two"])
    assert "\x1b" not in str(everything["two"])
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in report.text(everything["two"])


def test_text_needs_no_package_and_is_not_escaped():
    code = (
        "import sys; sys.modules['rich'] = None; import errbar\n"
        "scores = {'a_1': [.3, .31, .32, .3, .31], 'b': [.01, .01, .01, .02, .01]}\n"
        "t = errbar.from_scores(scores, n_train=9000, n_test=10)\n"
        "print(errbar.compare_table(t))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "p < 0.001" in " ".join(done.stdout.split())
    assert "\na_1 - b " in done.stdout
    assert not re.search(r"&\w+;|\\|[*]{2}", done.stdout)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_what_the_terminal_cannot_show_is_not_drawn(everything, monkeypatch, encoding):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    shown = report.text(everything["two"], width=100, color=False)
    assert ("\u2500" in shown) == (encoding == "utf-8")
    assert "-----" in shown or encoding == "utf-8"


def test_wide_and_combining_characters_keep_columns_aligned():
    names = ("\u6728\u6728", "e\u0301\u0301")
    lines = report.text(shifted(0.9, names=names), width=100, color=False).splitlines()
    [wide, narrow] = [line for line in lines if line.startswith(names)][:2]
    assert (
        wide.index("[") + 2 == narrow.index("[") - 2
    )  # two wide characters against two combining ones


def test_markdown_tables_are_aligned(comparison):
    source = report.markdown(comparison)
    assert source.startswith("# ")
    tables = re.findall(r"(?:^\|.*\|\n)+", source, flags=re.MULTILINE)
    assert len(tables) == (3 if comparison.pairs else 1)
    for table in tables:
        assert len({len(line) for line in table.splitlines()}) == 1
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b*c*", r"a\_b\*c\*"),
        ("<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"),
        ("&lt; A & B", "&amp;lt; A & B"),
        ("a|b", r"a\|b"),
        ("$x$ `c` ~d~", r"\$x\$ \`c\` \~d\~"),
        ("[text](http://x)", r"\[text](http://x)"),
        ("[1, 2](http://x)", r"\[1, 2](http://x)"),
        ("is [1, 2]", r"is \[1, 2]"),
    ],
)
def test_markdown_escapes(text, expected):
    assert markdown_renderer.escape(text) == expected


def test_intervals_are_no_links_and_need_no_backslash():
    assert bounds(-0.5, 2.5, Scale(1)).written(markdown_renderer.STYLE) == "[-0.5, 2.5]"
    assert all(
        number in report.markdown(shifted(0.9)) for number in ("1.939", "0.139", "p = 0.082")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("& % $ # _ { }", r"\& \% \$ \# \_ \{ \}"),
        ("~^\\", r"\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("[x] *", "{[}x{]} {*}"),
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("<a>|b", r"\textless{}a\textgreater{}\textbar{}b"),
        ("within ±5", r"within $\pm$5"),
    ],
)
def test_latex_escapes(text, expected):
    assert latex_renderer.escape(text) == expected


def test_latex_is_balanced(comparison):
    lines = [line for line in report.latex(comparison).splitlines() if not line.startswith("%")]
    source = re.sub(r"\\[\\{}$&%#_]", "", "\n".join(line.removesuffix(r" \\") for line in lines))
    assert source.count("{") == source.count("}")
    assert source.count("$") % 2 == 0
    assert not re.search(r"[%#~^_]", re.sub(r"\$[^$]*\$|\\label\{[^}]*\}", "", source))
    for kind in ("table", "tabular"):
        assert source.count(f"\\begin{{{kind}}}") == source.count(f"\\end{{{kind}}}") >= 1


def test_latex_rows_have_as_many_cells_as_columns(comparison):
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", report.latex(comparison), re.DOTALL
    ):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {len(columns) - 1}
        assert not any(row.lstrip().startswith(("[", "*")) for row in rows)


def test_code_in_markdown_is_fenced_by_more_than_it_holds():
    assert markdown_renderer._literal("a ```` b") == "`````\na ```` b\n`````"


def test_latex_infinity_and_powers():
    assert r"$-\infty$" in report.latex(shifted(0.1, alternative="less"))
    assert latex_renderer._number("-1.234e-12") == r"$-1.234 \times 10^{-12}$"
    assert (
        pvalue(0.0001, 0.05, strong=True).written(latex_renderer.STYLE) == r"\textless{}$0.001$ {*}"
    )


def test_unbounded_and_missing_ends():
    assert "inf)" in report.text(unknown_sizes(), width=120)
    assert "∞)" in report.markdown(unknown_sizes())
    assert "none" in report.text(constant(), width=120)


def test_significant_rows_stand_out_without_colour():
    shown = report.text(many(7), width=120, color=False)
    assert " *" in shown


def test_importing_the_report_is_light():
    code = (
        "import sys, errbar.report, errbar.plots; "
        "print([n for n in ('rich', 'jinja2', 'matplotlib', 'pandas') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_comparisons_show_themselves_without_the_report_being_imported_first():
    code = (
        "import errbar.read, errbar.study\n"
        "t = errbar.read.from_scores({'a': [.31, .28, .35], 'b': [.25, .27, .26]}, n_train=90, n_test=10)\n"
        "print(errbar.study.compare_table(t))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "corrected-t" in done.stdout
