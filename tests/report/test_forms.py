"""What a comparison gives when it is asked itself."""


def test_they_are_those_of_the_report(everything):
    for comparison in everything.values():
        frame = comparison.to_frame()
        assert len(frame) == (len(comparison.pairs) or len(comparison.learners))
