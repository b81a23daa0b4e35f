"""The gallery: every plot is on the page, its code runs, and the same code gives the same picture."""

import re
from pathlib import Path

import pytest

from tests.scripts import loaded

pytestmark = pytest.mark.long

matplotlib = pytest.importorskip("matplotlib")
pytest.importorskip("sphinx")

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "gallery.rst").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def gallery():
    """Return the extension of the documentation that draws the pictures."""
    return loaded("docs/_ext/gallery.py")


def drawing_functions():
    return {"intervals", "curves", "ranks", "matrix", "tuning"}


def test_every_plot_is_on_the_page():
    used = set(re.findall(r"plots\.(\w+)\(", PAGE))
    assert drawing_functions() | {"study"} <= used


def test_every_picture_has_code_and_a_text_for_those_who_cannot_see_it(gallery):
    found = [block.name for block in gallery.blocks(PAGE) if block.name]
    assert found == re.findall(r"image:: /generated/gallery/([\w-]+)\.svg", PAGE)
    assert len(set(found)) == len(found) == PAGE.count(".. image::")
    texts = re.findall(r"^   :alt: (.*)$", PAGE, re.MULTILINE)
    assert len(texts) == len(found)
    assert min(map(len, texts)) > 40
    assert len(set(texts)) == len(texts)


def test_code_is_found_block_by_block(gallery):
    page = (
        "Title\n=====\n\n.. code-block:: python\n\n   a = 1\n\n   if a:\n       b = 2\n\nText.\n\n"
        ".. code-block:: python\n\n   ax = b\n\n.. image:: /generated/gallery/one-two.svg\n   :alt: Some words\n"
    )
    assert gallery.blocks(page) == [("a = 1\n\nif a:\n    b = 2\n", None), ("ax = b\n", "one-two")]
    assert all(block.code.count("\n") <= 20 for block in gallery.blocks(PAGE))
    assert [
        line
        for block in gallery.blocks(PAGE)
        for line in block.code.splitlines()
        if len(line) > 100
    ] == []


def test_a_picture_needs_its_axes(gallery):
    page = ".. code-block:: python\n\n   x = 1\n\n.. image:: /generated/gallery/a.svg\n   :alt: Words\n"
    with pytest.raises(KeyError) as caught:
        list(gallery.pictures(page))
    assert caught.value.args == ("ax",)


def test_the_same_code_gives_the_same_pictures(gallery):
    quick = PAGE.partition("Simulation studies\n---")[0]
    settings = dict(matplotlib.rcParams)
    one, two = dict(gallery.pictures(quick)), dict(gallery.pictures(quick))
    assert dict(matplotlib.rcParams) == settings
    assert len(one) >= 5
    assert one == two
    assert all(picture.startswith("<?xml") and "</svg>" in picture for picture in one.values())


@pytest.mark.slow
def test_all_pictures_are_drawn(gallery, tmp_path):
    class App:
        srcdir = str(tmp_path)

    (tmp_path / "gallery.rst").write_text(PAGE, encoding="utf-8")
    gallery.generate(App())
    drawn = {path.stem for path in (tmp_path / "generated" / "gallery").glob("*.svg")}
    assert drawn == {block.name for block in gallery.blocks(PAGE) if block.name}
