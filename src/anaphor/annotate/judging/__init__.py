"""The work of annotators and leads: assignments, answers, what pages show, adjudication."""
