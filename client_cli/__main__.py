"""The command `hearts`: language first, then the commands, then errors as one sentence and an exit code."""

import io
import sys
from collections.abc import Sequence

import click

from client_cli.errors import ClientError
from client_cli.i18n import _, set_language, wanted_language

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # names may hold what this terminal cannot show
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Before the commands are imported: their help is in this language too.
    set_language(wanted_language(_language_flag(given)))
    from client_cli.commands.root import hearts

    try:
        result = hearts.main(args=given, prog_name="hearts", standalone_mode=False)
    except ClientError as error:
        _complain(str(error))
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; without this, Python complains again at exit.
        sys.stdout = None
        return 0
    return result if isinstance(result, int) else 0


def _language_flag(arguments: Sequence[str]) -> str | None:
    for index, argument in enumerate(arguments):
        if argument.startswith("--lang="):
            return argument.removeprefix("--lang=")
        if argument == "--lang" and index + 1 < len(arguments):
            return arguments[index + 1]
    return None


def _complain(sentence: str) -> None:
    click.echo(_("Error: {sentence}").format(sentence=sentence), err=True)


if __name__ == "__main__":
    sys.exit(main())
