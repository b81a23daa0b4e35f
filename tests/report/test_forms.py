"""What a comparison gives when it is asked itself."""

from errbar import report


def test_they_are_those_of_the_report(everything):
    for comparison in everything.values():
        assert comparison.to_markdown() == report.markdown(comparison)
        assert comparison.to_latex() == report.latex(comparison)
        frame = comparison.to_frame()
        assert len(frame) == (len(comparison.pairs) or len(comparison.learners))
