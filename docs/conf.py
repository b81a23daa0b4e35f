"""Sphinx configuration. The build needs no network."""

import sys
from pathlib import Path

import errbar

sys.path[:0] = [
    str(Path(__file__).parent / "_ext"),
    str(Path(__file__).parents[1]),
]  # the second for tests/docs/pages.py

project = "errbar"
author = "The errbar developers"
copyright = "2026, the errbar developers"
version = release = errbar.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "catalogue",
    "worked",
    "studies",
    "atlas",
    "default",
    "tuned",
    "calculator",
    "pictures",
    "gallery",
    "tutorials",
    "decision",
    "mathml",
    "accessible",
]
exclude_patterns = ["_build", "**/*.inc"]
default_role = "name"

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
myst_heading_anchors = 2

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["tables.css", "pages.css"]
html_title = "errbar"
html_copy_source = False
html_show_sphinx = False
