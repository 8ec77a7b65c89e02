"""The work of annotators and leads: assignments, answers, page views, adjudication."""
