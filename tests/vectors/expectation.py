"""What the makers of vectors share."""


class Refused(str):
    """The line of an error, where bytes or a trace are expected otherwise."""
