"""Language models behind a server with the OpenAI API, local or not, asked only where the user names one."""
