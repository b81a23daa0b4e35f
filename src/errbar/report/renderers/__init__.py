"""How a report looks: one module per form, each a function of the document."""
