"""`python -m anaphor`: the command line without a script on the path."""

from anaphor.cli.main import run_and_exit

if __name__ == "__main__":
    run_and_exit()
