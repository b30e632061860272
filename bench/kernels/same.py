"""Gives back what it gets."""


def process(frame):
    return frame
