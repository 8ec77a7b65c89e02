"""Language models behind a server with the OpenAI API, local or not, which the user must name."""
