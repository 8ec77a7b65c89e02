"""`anaphor completion`: shell scripts that complete commands, options and values, generated from the parser.

A script is self-contained, so completion never starts Python. Values of unknown type are completed as file
names.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anaphor.cli.commands import CommandParser

EXAMPLES = """examples:
  anaphor completion bash > ~/.local/share/bash-completion/completions/anaphor
  anaphor completion zsh > ~/.zfunc/_anaphor            (a folder of fpath)
  anaphor completion fish > ~/.config/fish/completions/anaphor.fish
  source <(anaphor completion bash)                     (for this session; zsh alike, after compinit)"""

SHELLS = ("bash", "zsh", "fish")


def configure(parser: CommandParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")


def run(options: argparse.Namespace) -> None:
    print(completion(options.shell), end="")


@dataclass(frozen=True, slots=True)
class _Command:
    """The words that can follow a command, with descriptions, and the values of options."""

    name: str
    words: Mapping[str, str]
    values: Mapping[str, tuple[str, ...]]

    def by_option(self) -> dict[str, Mapping[str, str]]:
        """The completions after an option with values, after none (""), and after a dash ("-")."""
        plain = {word: meaning for word, meaning in self.words.items() if not word.startswith("-")}
        dashed = {word: meaning for word, meaning in self.words.items() if word.startswith("-")}
        values = {option: dict.fromkeys(some, "") for option, some in self.values.items()}
        return {option: words for option, words in {"": plain, "-": dashed, **values}.items() if words}


def completion(shell: str) -> str:
    """The script for one of `SHELLS`."""
    from anaphor.cli.main import build_parser

    parser = build_parser()
    parser.load_all()
    commands = list(_walk(parser))
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)


def _walk(parser: CommandParser) -> Iterator[_Command]:
    """A parser and its subparsers."""
    from anaphor.languages import known_pairs
    from anaphor.metrics import METRICS

    # Not choices of the parser: help texts would have to load packs and metrics.
    known = {"--pair": known_pairs(None), "--metrics": tuple(METRICS)}
    words = {name: summary for name, (_, summary) in parser.commands.items()}
    values = dict[str, tuple[str, ...]]()
    for action in parser.actions():
        meaning = (action.help or "").replace("%%", "%").partition(" (default")[0]
        if not action.option_strings:
            words |= dict.fromkeys(map(str, action.choices or ()), "")
        for option in action.option_strings:
            words[option] = meaning
            if action.nargs != 0:
                values[option] = tuple(map(str, action.choices or known.get(action.option_strings[-1], ())))
    yield _Command(parser.prog, words, values)
    for child, _ in parser.commands.values():
        yield from _walk(child)


# A loop over the words before the cursor finds the command and the option whose value is being typed:
# `command` ends as `anaphor align run`; `option` as `--pair`, as `-` where an option is typed, or empty.
_FUNCTION = """\
_anaphor() {{
    local typed={typed} command=anaphor option= word
    local -a found
    for word in {before}; do
        case "$command $word" in
            {commands}) command="$command $word" option= ;;
            *) case "$word" in -*) option=$word ;; esac ;;
        esac
    done
    case "$command $option" in
        {flags}) option= ;;
    esac
    case "$typed" in -*) option=- ;; esac
    case "$command $option" in
{cases}
    esac
    {end}
}}
"""


def _function(commands: list[_Command], cases: Iterator[str], **texts: str) -> str:
    flags = [
        f"{command.name} {word}"
        for command in commands
        for word in command.words
        if word.startswith("-") and word not in command.values
    ]
    names = [command.name for command in commands[1:]]
    quoted = {"commands": _any(names), "flags": _any(flags)}
    return _FUNCTION.format(**quoted, cases="\n".join(cases), **texts)


def _any(patterns: list[str]) -> str:
    return "|".join(f'"{pattern}"' for pattern in patterns)


def _bash(commands: list[_Command]) -> str:
    cases = (
        f'        "{command.name} {option}") found=({shlex.join(words)}) ;;'
        for command in commands
        for option, words in command.by_option().items()
    )
    typed, before = "${COMP_WORDS[COMP_CWORD]}", '"${COMP_WORDS[@]:1:COMP_CWORD-1}"'
    end = """COMPREPLY=($(compgen -W "${found[*]}" -- "$typed"))"""
    # Without a word that fits, bash completes the names of files.
    register = "complete -o default -o bashdefault -F _anaphor anaphor\n"
    return _function(commands, cases, typed=typed, before=before, end=end) + register


def _zsh(commands: list[_Command]) -> str:
    def described(words: Mapping[str, str]) -> str:
        escaped = ((word.replace(":", "\\:"), meaning) for word, meaning in words.items())
        return shlex.join(f"{word}:{meaning}" if meaning else word for word, meaning in escaped)

    cases = (
        f'        "{command.name} {option}") found=({described(words)}) ;;'
        for command in commands
        for option, words in command.by_option().items()
    )
    end = "(( $#found )) && _describe anaphor found || _files"
    body = _function(commands, cases, typed='"$PREFIX"', before="${words[2,CURRENT-1]}", end=end)
    # Read by `source`, or loaded by compinit as the function itself.
    start = 'if [[ "$funcstack[1]" == _anaphor ]]; then _anaphor "$@"; else compdef _anaphor anaphor; fi\n'
    return f"#compdef anaphor\n{body}{start}"


def _fish(commands: list[_Command]) -> str:
    lines = [
        "function __anaphor_at",
        "    set -l command anaphor",
        "    for word in (commandline -opc)[2..]",
        f'        if contains -- "$command $word" {shlex.join(command.name for command in commands[1:])}',
        '            set command "$command $word"',
        "        end",
        "    end",
        '    test "$command" = "$argv"',
        "end",
        "function __anaphor_in",
        "    set -l options (string match -r -- '^-.*' (commandline -opc))",
        '    contains -- "$options[-1]" $argv',
        "end",
    ]
    for command in commands:
        at = f"complete -c anaphor -n '__anaphor_at {command.name}'"
        for word, meaning in command.words.items():
            text = f" -d {_fish_quoted(meaning)}" if meaning else ""
            if not word.startswith("-"):
                lines.append(f"{at} -f -a {word}{text}")
                continue
            name = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
            values = command.values.get(word)
            kind = "" if values is None else f" -x -a {_fish_quoted(' '.join(values))}" if values else " -r"
            lines.append(f"{at} {name}{kind}{text}")
            if values:  # fish offers them for the first of several values only
                more = f"complete -c anaphor -n '__anaphor_at {command.name}; and __anaphor_in {word}'"
                lines.append(f"{more} -f -a {_fish_quoted(' '.join(values))}")
    return "\n".join([*lines, ""])


def _fish_quoted(text: str) -> str:
    # Unlike in other shells, a backslash escapes inside single quotes.
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
