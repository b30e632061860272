#!/usr/bin/env python3
"""Checks that benches report their progress, and that all of them have the option."""
import contextlib
import io
import os
import subprocess
import sys
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench")
sys.path.insert(0, BENCH)
from progress import Progress  # noqa: E402


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(style, stream, seconds_a_step, steps=4):
    """Returns the output of a number of steps that each take the same time."""
    now = [100.0]
    with contextlib.redirect_stderr(stream):
        progress = Progress(steps, style, lambda: now[0])
        for i in range(steps):
            now[0] += seconds_a_step
            progress.step(f"step {i}")
    return stream.getvalue()


class Progresses(unittest.TestCase):
    def test_in_place_on_a_terminal_and_taken_away_in_the_end(self):
        text = shown("auto", Terminal(), 1)
        # After the first step of 1 s, three of four steps are left, and so on.
        self.assertEqual(text, "".join(f"\r\033[K0 min {4 - done} s left; {done} of 4: step {done - 1}" for done in (1, 2, 3)) + "\r\033[K")

    def test_lines_elsewhere_none_of_what_is_short(self):
        self.assertEqual(shown("auto", io.StringIO(), 1), "")
        self.assertEqual(shown("auto", io.StringIO(), 65), "3 min 15 s left; 1 of 4: step 0\n2 min 10 s left; 2 of 4: step 1\n1 min 5 s left; 3 of 4: step 2\n")
        # At most one line every ten seconds.
        self.assertEqual(shown("plain", io.StringIO(), 6).count("\n"), 1)

    def test_plain_lines_on_a_terminal_and_nothing(self):
        self.assertNotIn("\033", shown("plain", Terminal(), 65))
        self.assertEqual(shown("plain", Terminal(), 65).count("\n"), 3)
        self.assertEqual(shown("none", Terminal(), 65), "")
        self.assertEqual(shown("none", io.StringIO(), 65), "")

    def test_every_bench_that_has_steps_takes_the_option(self):
        benches = [name for name in sorted(os.listdir(BENCH)) if name.endswith(".py") and name != "progress.py"
                   and "Progress(" in open(os.path.join(BENCH, name)).read()]
        self.assertGreaterEqual(len(benches), 5)
        for name in benches:
            wrong = subprocess.run([sys.executable, os.path.join(BENCH, name), "--progress", "plan"], stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(wrong.returncode, 2, name)
            for style in ("auto", "plain", "none"):
                self.assertIn(style, wrong.stderr, name)


if __name__ == "__main__":
    unittest.main()
