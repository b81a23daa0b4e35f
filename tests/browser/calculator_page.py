"""What the calculator shows for inputs that stand in its address."""

from urllib.parse import urlencode

SHOW = """async ([fragments]) => {
    const slot = (card, name) => card.querySelector(`[data-slot=${name}]`);
    const found = [];
    for (const fragment of fragments) {
        const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
        location.hash = fragment;
        await changed;
        const cards = [...document.querySelectorAll("#calculator-form article:not([hidden])")];
        found.push({
            status: document.getElementById("calculator-status").textContent,
            link: document.querySelector("#calculator-link a").hash,
            marks: [...document.querySelectorAll("article:not([hidden]) #calculator-marks tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
            verdict: document.querySelector("article:not([hidden]) #calculator-verdict")?.textContent,
            curve: errbarCalculator.answer(Object.fromEntries(new FormData(document.getElementById("calculator-form")))).answers.at(-1)?.sensitivity,
            answers: cards.map((card) => ({
                method: card.dataset.method,
                refusal: slot(card, "refusal").textContent,
                notes: [...slot(card, "notes").children].map((note) => note.textContent),
                figures: [...card.querySelectorAll("dd")].map((cell) => cell.textContent),
                ...Object.fromEntries(["sentence", "markdown", "latex", "python", "json"].map((name) => [name, slot(card, name).textContent])),
            })),
        });
    }
    return found;
}"""


def shown(page, states):
    """Return what the page shows for each state of the form, which it reads from its address."""
    return page.evaluate(SHOW, [["#" + urlencode(state) for state in states]])
