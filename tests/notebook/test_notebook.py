"""A notebook as people write it, run from top to bottom in a kernel of its own."""

import json
import re
import sys
from base64 import b64decode
from html.parser import HTMLParser

import pytest

pytestmark = pytest.mark.long

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "setup": """
        import errbar
        from sklearn.datasets import load_breast_cancer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import KFold, cross_validate
        from sklearn.naive_bayes import GaussianNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X, y = load_breast_cancer(return_X_y=True)
        learners = {"bayes": GaussianNB(), "logistic <l2>": make_pipeline(StandardScaler(), LogisticRegression())}
    """,
    "compare": """
        comparison = errbar.compare(learners, X, y, plan=errbar.plans.KFold(5), method="cv-wald", random_state=0)
        comparison
    """,
    "plot": """
        %matplotlib inline
        comparison.plot();
    """,
    "frame": "comparison.to_frame()",
    "print": "print(comparison)",
    "own class": """
        from sklearn.base import BaseEstimator, ClassifierMixin

        class Mine(ClassifierMixin, BaseEstimator):
            '''Lives in the notebook only, and is sent to workers all the same.'''

            def fit(self, X, y):
                self.classes_, self.mean_ = sorted(set(y)), X[:, 0].mean()
                return self

            def predict(self, X):
                return (X[:, 0] < self.mean_).astype(int)

        errbar.evaluate(Mine(), X, y, method="cv-wald", plan=errbar.plans.KFold(5), random_state=0)
    """,
    "cross_validate": """
        found = {
            name: cross_validate(learner, X, y, cv=KFold(5, shuffle=True, random_state=0), return_indices=True)
            for name, learner in learners.items()
        }
        errbar.compare_table(errbar.from_cross_validate(found))
    """,
    "gate": """
        errbar.Gate.parse("'logistic <l2>' worse-than bayes by 0.01").judge(comparison)
    """,
}


class Document(HTMLParser):
    """Collects the elements and the text of a fragment, and finds tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in {"br", "hr", "img", "meta", "link", "input", "col"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def trimmed(source):
    lines = source.strip("\n").splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[margin:] for line in lines)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Outputs of every cell by its name."""
    folder = tmp_path_factory.mktemp("notebook")
    kernels = folder / "kernels" / "errbar-test"
    kernels.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(
        json.dumps({"argv": command, "display_name": "test", "language": "python"}),
        encoding="utf-8",
    )
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(trimmed(source)) for source in CELLS.values()]
    path = folder / "notebook.ipynb"
    nbformat.write(notebook, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(folder))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.delenv("MPLBACKEND", raising=False)
        done = nbclient.NotebookClient(
            nbformat.read(path, as_version=4),
            timeout=120,
            kernel_name="errbar-test",
            resources={"metadata": {"path": folder}},
        ).execute()
    nbformat.validate(done)
    return dict(zip(CELLS, (cell.outputs for cell in done.cells), strict=True))


def data(outputs, name, kind):
    found = [output.data[kind] for output in outputs[name] if kind in output.get("data", {})]
    assert len(found) == 1, f"{name} shows {len(found)} outputs of kind {kind}"
    return found[0]


def text(outputs, name):
    return "".join(output.text for output in outputs[name] if output.output_type == "stream")


def test_nothing_is_said_on_standard_error(outputs):
    streams = [
        o.text
        for cell in outputs.values()
        for o in cell
        if o.output_type == "stream" and o.name == "stderr"
    ]
    assert streams == []
    assert not [o for cell in outputs.values() for o in cell if o.output_type == "error"]


@pytest.mark.parametrize("name", ["compare", "cross_validate"])
def test_comparisons_are_shown_as_html_with_text_beside_it(outputs, name):
    document = Document(data(outputs, name, "text/html"))
    words = " ".join(document.words)
    assert "table" in document.tags
    assert "bayes" in words
    assert "logistic <l2>" in words
    assert data(outputs, name, "text/plain")


def test_the_fragment_is_a_guest_on_the_page(outputs):
    """No document of its own, no scripts, nothing from elsewhere, and no style that reaches other cells."""
    fragment = data(outputs, "compare", "text/html")
    document = Document(fragment)
    assert not {"html", "head", "body", "script", "link", "iframe"} & set(document.tags)
    assert not re.search(r"(src|href)=[\"']?https?://", fragment.replace("https://doi.org", ""))
    for style in re.findall(r"<style[^>]*>(.*?)</style>", fragment, flags=re.DOTALL):
        for selector in re.findall(
            r"([^{}@]+)\{", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
        ):
            assert not re.match(r"\s*(body|html|table|td|th|\*|:root)\b", selector), selector


def test_the_plot_is_a_picture(outputs):
    picture = b64decode(data(outputs, "plot", "image/png"))
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) > 5000


@pytest.mark.parametrize(("name", "column"), [("frame", "pvalue")])
def test_frames_are_tables(outputs, name, column):
    document = Document(data(outputs, name, "text/html"))
    assert column in document.words


def test_printing_gives_the_report_as_text(outputs):
    said = text(outputs, "print")
    assert "bayes" in said
    assert "logistic <l2>" in said
    assert "\x1b[" not in said


def test_a_class_that_lives_in_the_notebook_is_a_learner(outputs):
    assert "cv-wald" in data(outputs, "own class", "text/plain")


def test_the_gate_is_a_sentence(outputs):
    shown = data(outputs, "gate", "text/plain")
    assert all(part in shown for part in ("logistic <l2>", "bayes", "0.01"))
