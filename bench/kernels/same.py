"""Returns its input."""


def process(frame):
    return frame
