"""How far a long bench is, on stderr: in place on a terminal, a line every ten seconds elsewhere."""
import sys
import time


class Progress:
    def __init__(self, total):
        self.total, self.done, self.begin = total, 0, time.monotonic()
        self.is_terminal, self.last = sys.stderr.isatty(), self.begin

    def step(self, text):
        """One more of `total` is done."""
        self.done += 1
        now = time.monotonic()
        left = (now - self.begin) / self.done * (self.total - self.done)
        if self.done == self.total:
            return self.clear()
        line = f"{int(left // 60)} min {left % 60:.0f} s left; {self.done} of {self.total}: {text}"
        if self.is_terminal:
            print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)
        elif now - self.last >= 10:
            self.last = now
            print(line, file=sys.stderr, flush=True)

    def clear(self):
        """Before something else is printed."""
        if self.is_terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
