"""The console script, and `python -m kumihimo`.

It imports nothing at its start, so that Ctrl-C while the command itself is still being imported ends as it does later.
"""


def main() -> None:
    """Runs the command line (cli.py)."""
    try:
        from kumihimo.cli import main as command

        command()
    except KeyboardInterrupt:
        import os

        try:
            os.write(2, b"\ninterrupted\n")
        finally:
            os._exit(130)  # what is half imported is not asked to clean up


if __name__ == "__main__":
    main()
