"""What the theme leaves out for those who read by ear or by keyboard: names of landmarks, levels of headings, places to stop."""

from pathlib import Path

from sphinx.application import Sphinx

# Each is written only once, however often a page is built.
ADDED = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    # What is wider than its place is scrolled by keyboard too.
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
    '<div class="math-wrapper ': '<div tabindex="0" class="math-wrapper ',
    'role="doc-biblioentry"': 'role="listitem"',
}


def accessible(page: str) -> str:
    """Return a page with these attributes."""
    for given, wanted in ADDED.items():
        page = page.replace(given, wanted)
    return page


def finish(app: Sphinx, error: Exception | None) -> None:
    """Write the attributes into the finished pages."""
    if error is None and app.builder.format == "html":
        for path in Path(app.outdir).rglob("*.html"):
            path.write_text(accessible(path.read_text(encoding="utf-8")), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Do it when all pages are there."""
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
