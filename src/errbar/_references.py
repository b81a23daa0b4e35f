"""The literature that methods cite, by key."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """One publication."""

    authors: str
    year: int
    title: str
    where: str

    def __str__(self) -> str:
        """Return the citation on one line."""
        return f"{self.authors} ({self.year}). {self.title}. {self.where}."


REFERENCES = {
    "alpaydin1999": Reference(
        "Alpaydin, E.",
        1999,
        "Combined 5x2 cv F test for comparing supervised classification learning algorithms",
        "Neural Computation 11(8), 1885-1892",
    ),
    "bayle2020": Reference(
        "Bayle, P., Bayle, A., Janson, L. & Mackey, L.",
        2020,
        "Cross-validation confidence intervals for test error",
        "Advances in Neural Information Processing Systems 33",
    ),
    "bouckaert2004": Reference(
        "Bouckaert, R. R. & Frank, E.",
        2004,
        "Evaluating the replicability of significance tests for comparing learning algorithms",
        "PAKDD, LNCS 3056, 3-12",
    ),
    "dietterich1998": Reference(
        "Dietterich, T. G.",
        1998,
        "Approximate statistical tests for comparing supervised classification learning algorithms",
        "Neural Computation 10(7), 1895-1923",
    ),
    "grandvalet2006": Reference(
        "Grandvalet, Y. & Bengio, Y.",
        2006,
        "Hypothesis testing for cross-validation",
        "Technical report 1285, DIRO, Universite de Montreal",
    ),
    "mitchell1997": Reference("Mitchell, T. M.", 1997, "Machine Learning, chapter 5", "McGraw-Hill"),
    "nadeau2003": Reference(
        "Nadeau, C. & Bengio, Y.",
        2003,
        "Inference for the generalization error",
        "Machine Learning 52(3), 239-281",
    ),
}
