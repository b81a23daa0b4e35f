"""What a comparison gives when it is asked itself."""


def test_a_frame_has_a_row_for_each_learner_and_each_pair(everything):
    for comparison in everything.values():
        frame = comparison.to_frame()
        assert len(frame) == len(comparison.learners) + len(comparison.pairs)
        pairs = frame[frame["b"].notna()] if comparison.pairs else []
        assert len(pairs) == len(comparison.pairs)
