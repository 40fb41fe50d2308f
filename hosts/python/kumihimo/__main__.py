"""The console script, and `python -m kumihimo`.

It imports next to nothing at its start, so that Ctrl-C while the command itself is still being imported ends as it does later.
"""


def main() -> None:
    """Runs the command line (cli.py)."""
    import os

    def leave(*_: object) -> None:
        try:
            os.write(2, b"\ninterrupted\n")
        finally:
            os._exit(130)  # what is half imported is not asked to clean up

    try:
        import signal

        raises = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if raises:
            signal.signal(signal.SIGINT, leave)  # no exception: a module that is being imported may make another one of it
        from kumihimo.cli import main as command

        if raises:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command()
    except KeyboardInterrupt:
        leave()


if __name__ == "__main__":
    main()
