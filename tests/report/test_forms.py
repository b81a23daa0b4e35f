"""What a comparison gives when it is asked itself, and how a page sets its numbers."""

import re

from errbar import report


def test_no_line_of_a_page_ends_between_a_figure_and_its_sign_or_unit(comparison):
    body = report.html(comparison).partition("<h1>")[2].partition("<footer>")[0]
    told = re.sub("<summary>.*?</summary>|<script.*?</script>|<[^<>]*>", "", body)
    assert "\xa0" in told
    assert re.findall(r"\d %|\bp (?:&lt;|=)|(?:&lt;|=) [.\d]", told) == []


def test_a_frame_has_a_row_for_each_learner_and_each_pair(everything):
    for comparison in everything.values():
        frame = comparison.to_frame()
        assert len(frame) == len(comparison.learners) + len(comparison.pairs)
        pairs = frame[frame["b"].notna()] if comparison.pairs else []
        assert len(pairs) == len(comparison.pairs)
