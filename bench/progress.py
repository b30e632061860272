"""Shows the progress of a long bench on stderr: in place on a terminal, else a line every ten seconds, like takt's long commands."""
import sys
import time

BETWEEN_LINES = 10.0


def add_option(parser):
    """Adds the option `--progress auto|plain|none` of Progress."""
    parser.add_argument("--progress", choices=["auto", "plain", "none"], default="auto",
                        help="in place on a terminal and plain lines elsewhere, plain lines, or nothing")


class Progress:
    """Progress of `total` steps of similar length; `clock` returns seconds."""

    def __init__(self, total, style="auto", clock=time.monotonic):
        self.total, self.done, self.clock, self.style = total, 0, clock, style
        self.begin = self.last = clock()
        self.is_in_place = style == "auto" and sys.stderr.isatty()

    def step(self, text):
        """Reports that one more step is done."""
        self.done += 1
        now = self.clock()
        if self.done >= self.total:
            return self.clear()
        if self.style == "none":
            return None
        left = (now - self.begin) / self.done * (self.total - self.done)
        line = f"{int(left // 60)} min {left % 60:.0f} s left; {self.done} of {self.total}: {text}"
        if self.is_in_place:
            print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)
        elif now - self.last >= BETWEEN_LINES:
            self.last = now
            print(line, file=sys.stderr, flush=True)
        return None

    def clear(self):
        """Clears the line; call before other output."""
        if self.is_in_place:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
