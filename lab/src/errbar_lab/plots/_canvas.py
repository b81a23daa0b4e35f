"""What all plots share: the way from a computed chart to axes and to a page, colours, frames and legends."""

import inspect
import io
import itertools
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast
from xml.etree import ElementTree as ET

from errbar import _check
from errbar.comparison import Comparison
from errbar.errors import InvalidInputError
from errbar.metrics import in_words
from errbar_lab.plots._fit import EDGE, fit
from errbar_lab.plots._fonts import WIDENER, complete, of_the_browser
from errbar_lab.plots._names import SMALL, escape, extents, letters_in, place_inches, width

# Colours of Okabe & Ito: told apart by the colour-blind, and legible on white paper and on dark pages.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"

# Stands for the colour of the surrounding text while an SVG is drawn; no plot uses it otherwise.
_INK = "#010203"
_PAGE_COLORS = {
    _INK: "currentColor",
    BLUE: f"var(--errbar-blue, {BLUE})",
    VERMILION: f"var(--errbar-vermilion, {VERMILION})",
}
_INKS = (
    "text.color",
    "axes.edgecolor",
    "axes.labelcolor",
    "xtick.color",
    "ytick.color",
    "legend.labelcolor",
)
_PAGE_STYLE: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "errbar",
    "font.sans-serif": ["DejaVu Sans"],
    "axes.formatter.useoffset": False,
    **dict.fromkeys(_INKS, _INK),
}
_URL = re.compile(r"url\(#([^)]*)\)")
# In inches; a plot with more to show than fits into such a height says what it leaves out.
WIDTH, HIGHEST = 5.6, 12.0
_KEY = 5  # width of the mark of an entry of a legend and of the gap behind it, in letters

Size = tuple[float, float]
P = ParamSpec("P")
Source_contra = TypeVar("Source_contra", contravariant=True)
Chart_co = TypeVar("Chart_co", covariant=True)
_DRAWN: dict[type[Any], tuple[Callable[[Any], Size], Callable[[Any, Any], None]]] = {}


def drawn_by(
    chart: type[Any], size: Callable[[Any], Size]
) -> Callable[[Callable[[Any, Any], None]], Callable[[Any, Any], None]]:
    """Enter the function that draws a type of chart, and the one that says how large its figure is, in inches."""

    def enter(function: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        _DRAWN[chart] = (size, function)
        return function

    return enter


def _drawn(chart: Any) -> tuple[Callable[[Any], Size], Callable[[Any, Any], None]]:
    """Return what is entered for the type of a chart, or raise if it is none."""
    if type(chart) not in _DRAWN:
        raise InvalidInputError(
            "must be a computed chart, such as errbar.plots.differences_of(comparison), got an object of class "
            f"{type(chart).__name__}; errbar.plots.differences(comparison) computes and draws",
            argument="chart",
        )
    return _DRAWN[type(chart)]


def draw(chart: Any, ax: Any = None) -> Any:
    """Draw a computed chart.

    Parameters
    ----------
    chart : Forest, Paths or another computed chart
        What to draw.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes
        With the chart.
    """
    _check.package("matplotlib", "app")
    size, paint = _drawn(chart)
    axes = new_axes(size(chart)) if ax is None else ax
    figure = axes.figure
    before = {"axes": set(figure.axes), "legends": set(figure.legends)}
    paint(chart, axes)
    panels = [one for one in figure.axes if one not in before["axes"]]
    legends = [one for one in figure.legends if one not in before["legends"]]
    for one in (axes, *panels, *legends):
        complete(one)
    if figure.get_layout_engine() is None:
        fit(axes, panels)
    return axes


class Plot(Protocol[Source_contra, P, Chart_co]):
    """A function that draws; its attribute ``chart`` computes what is drawn, from the same arguments without axes."""

    @property
    def chart(self) -> Callable[Concatenate[Source_contra, P], Chart_co]: ...

    def __call__(
        self, source: Source_contra, ax: Any = None, *args: P.args, **options: P.kwargs
    ) -> Any: ...


def plot(
    compute: Callable[Concatenate[Source_contra, P], Chart_co],
) -> Plot[Source_contra, P, Chart_co]:
    """Turn a function that computes a chart into one that draws it, with ``ax`` as its second parameter."""

    @wraps(compute)
    def drawn(source: Source_contra, ax: Any = None, *args: P.args, **options: P.kwargs) -> Any:
        return draw(compute(source, *args, **options), ax)

    signature = inspect.signature(compute)
    source, *others = signature.parameters.values()
    axes = inspect.Parameter(
        "ax", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=Any
    )
    parameters = [source, axes, *others]
    found: Any = drawn
    found.__signature__ = signature.replace(parameters=parameters, return_annotation=Any)
    found.chart = compute
    return cast("Plot[Source_contra, P, Chart_co]", found)


def svg(chart: Any, name: str, title: str, description: str = "") -> str:
    """Return a chart as an SVG element for a web page.

    Text stays text, colours of text and axes are those of the page, and the same chart gives the same bytes.

    Parameters
    ----------
    chart : Forest, Paths or another computed chart
        What to draw.
    name : str
        Prefix of all ids, different for every chart of a page.
    title : str
        Name of the chart, for those who cannot see it.
    description : str, default ""
        What there is to see.

    Returns
    -------
    str
        The element, with ``role="img"``.
    """
    matplotlib = _check.package("matplotlib", "app")
    buffer = io.StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings(), of_the_browser():
        # A browser has glyphs that matplotlib's own font lacks.
        warnings.filterwarnings("ignore", message=".*missing from font.*")
        matplotlib.rcdefaults()  # nothing may depend on the user's own settings
        matplotlib.rcParams.update(_PAGE_STYLE)
        figure = _free_figure(_drawn(chart)[0](chart))
        draw(chart, figure.add_subplot())
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    return _for_page(buffer.getvalue(), name, title, description)


def measured(comparison: Comparison) -> str:
    """Return the name of the axis of a measure."""
    loss = comparison.table.loss
    return f"{in_words(loss.key)} ({loss.direction})"


def positive(value: float, name: str) -> float:
    """Return a positive number, or say that it is none."""
    number = _check.finite(value, name)
    if number <= 0.0:
        raise InvalidInputError(f"must be positive, got {value!r}", argument=name)
    return number


def new_axes(size: tuple[float, float]) -> Any:
    """Return new axes; pyplot is told only where the user works with it, so that notebooks show the figure."""
    if "matplotlib.pyplot" in sys.modules or hasattr(sys.modules.get("builtins"), "__IPYTHON__"):
        from matplotlib import pyplot as plt

        return plt.figure(figsize=size, layout=_layout()).add_subplot()
    return _free_figure(size).add_subplot()


def _free_figure(size: tuple[float, float]) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout=_layout())


def _layout() -> Any:
    """Return what makes room for labels, and leaves an edge free."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return ConstrainedLayoutEngine(w_pad=EDGE, h_pad=EDGE)


def alone(ax: Any) -> bool:
    """Return whether axes have a figure to themselves, which makes room for what stands beside them."""
    return len(ax.figure.axes) == 1 and ax.figure.get_layout_engine() is not None


def place_legend(ax: Any, handles: Sequence[Any]) -> None:
    """Put the legend below all that is drawn already, in the middle of the figure where axes have one to themselves."""
    across = entries_across(handles, place_inches(ax))
    look: dict[str, Any] = {
        "handles": list(handles),
        "ncols": across,
        "columnspacing": 1.4,
        "handletextpad": 0.5,
    }
    look |= {"frameon": False, "fontsize": "small"}
    if alone(ax):
        ax.figure.legend(loc="outside lower center", **look)
        return
    from matplotlib.transforms import ScaledTranslation

    inner, outer = extents(ax)
    drop, aside = (inner.y0 - outer.y0) / ax.figure.dpi, (inner.x0 - outer.x0) / ax.figure.dpi
    # One that is wider than the axes reaches to the left, where names leave room below them.
    side, at = (
        ("center", 0.5)
        if entries_across(handles, place_inches(ax) - aside) == across
        else ("right", 1.0)
    )
    below = ax.transAxes + ScaledTranslation(0.0, -drop - EDGE, ax.figure.dpi_scale_trans)
    ax.legend(
        loc=f"upper {side}",
        bbox_to_anchor=(at, 0.0),
        bbox_transform=below,
        borderaxespad=0.0,
        **look,
    )


def entries_across(handles: Sequence[Any], inches: float) -> int:
    """Return how many entries of a legend fit side by side, each column as wide as its widest."""
    letters = [width(str(handle.get_label())) + _KEY for handle in handles]
    room = 1.13 * letters_in(inches - 4.0 * EDGE, SMALL)  # many letters of words are narrow
    fitting = (
        n for n in range(len(handles), 1, -1) if sum(max(letters[c::n]) for c in range(n)) <= room
    )
    return next(fitting, 1)


def entry(text: str, **style: Any) -> Any:
    """Return an entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D([], [], **({"linestyle": "none"} | style), label=escape(text))


def ink() -> str:
    """Return the colour in which axes are drawn."""
    from matplotlib import rcParams

    return str(rcParams["axes.edgecolor"])


def _for_page(drawing: str, name: str, title: str, description: str) -> str:
    """Turn matplotlib's file into an element: no prologue, fluid width, own ids, the page's ink, a text alternative."""
    root, number = ET.fromstring(drawing), itertools.count()
    # Numbers and not matplotlib's own ids: those hash the bounds of panels, whose last bits a layout leaves to chance.
    ids: defaultdict[str, str] = defaultdict(lambda: f"{name}-{next(number)}")
    for element in root.iter():
        element.tag = _local(element.tag)
        element.text = element.text.replace(WIDENER, "") if element.text else element.text
        element.attrib = {
            _local(key): _own_value(_local(key), value, ids) for key, value in element.items()
        }
    for child in root.findall("metadata"):
        root.remove(child)
    for tag, text in (("desc", description), ("title", title)):
        words = ET.Element(tag, {"id": f"{name}-{tag}"})
        words.text, words.tail = text, "\n"
        root.insert(0, words)
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "xmlns": "http://www.w3.org/2000/svg",
        "role": "img",
        "aria-labelledby": f"{name}-title",
        "aria-describedby": f"{name}-desc",
    }
    return ET.tostring(root, encoding="unicode") + "\n"


def _local(name: str) -> str:
    """Return the name of an element or attribute without its namespace: HTML knows that of SVG, and href has none."""
    return name.rpartition("}")[2]


def _own_value(key: str, value: str, ids: defaultdict[str, str]) -> str:
    """Return the value of an attribute with ids of the chart's own, and with colours of the page."""
    if key == "id":
        return ids[value]
    if key == "href":
        return f"#{ids[value.removeprefix('#')]}"
    # Paths have a line for every point, and a line feed in an attribute takes five characters.
    own = _URL.sub(lambda found: f"url(#{ids[found[1]]})", " ".join(value.split()))
    for color, meaning in _PAGE_COLORS.items():
        own = own.replace(color.lower(), meaning)
    return own
