"""Common parts of the tests of documents: a folder, a network and the program under test.

Each test runs in its own network (as root, or in a name space of the user), so that the documents' ports are free.
Where that is not possible, the test is skipped (exit code 77).
"""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

INSIDE = "TAKT_PAGES_NETWORK"
SKIPPED = 77


def enter_network():
    """Restarts this script in a network that has only a loopback."""
    for unshare in (["unshare", "--net"], ["unshare", "--net", "--map-root-user"]):
        try:
            subprocess.run([*unshare, "true"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            continue
        again = ["sh", "-c", 'ip link set lo up && exec "$0" "$@"', sys.executable, *sys.argv]
        sys.exit(subprocess.run([*unshare, *again], env={**os.environ, INSIDE: "1"}, check=False).returncode)
    print("skipped: this user may not make a network of his own")
    sys.exit(SKIPPED)


class PageTest(unittest.TestCase):
    """Runs commands of a page, in an empty folder with configs/ in it."""

    page = ""
    takt, source = "", ""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="takt-pages-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(self.source, "configs"), os.path.join(self.folder, "configs"))
        with open(os.path.join(self.source, "docs", self.page), encoding="utf-8") as page:
            # The text before the first title has none.
            beginning, *parts = page.read().split("\n## ")
            self.sections = {"": beginning, **dict(part.split("\n", 1) for part in parts)}
        self.running = []
        self.addCleanup(lambda: [each.kill() for each in self.running if each.poll() is None])

    def path(self, name):
        return os.path.join(self.folder, name)

    def block(self, section, language):
        return re.search(f"```{language}\n(.*?)```", self.sections[section], re.S).group(1)

    def command(self, section, beginning):
        """Returns a command of the text, with `takt` as the program under test."""
        text = re.sub(r"\s+", " ", self.sections[section])
        return re.search(f"`takt ({re.escape(beginning)}[^`]*)`", text).group(1).split()

    def start(self, *arguments):
        out = open(self.path(f"out{len(self.running)}"), "w+")
        self.addCleanup(out.close)
        run = subprocess.Popen([self.takt, *arguments], cwd=self.folder, stdout=out, stderr=subprocess.STDOUT)
        run.said = out
        self.running.append(run)
        return run

    def until(self, what, run=None, seconds=180):
        for _ in range(int(seconds / 0.05)):
            if what():
                return
            if run is not None and run.poll() is not None:
                break
            time.sleep(0.05)
        self.fail(f"waited in vain: {self.said(run) if run else ''}")

    def said(self, run):
        run.said.seek(0)
        return run.said.read()

    def until_it_receives(self, run):
        """Waits until the run receives. Its ports are open before: packets that arrive during planning are
        counted and discarded."""
        self.until(lambda: "receiving on" in self.said(run), run)

    def until_it_listens(self, run, port):
        """Waits until the run listens on a TCP port for several looks: before a run starts, its ports are opened
        for a moment, to check them."""
        looks = 0
        def listens():
            nonlocal looks
            with open("/proc/net/tcp", encoding="ascii") as table:
                looks = looks + 1 if f":{port:04X} " in table.read() else 0
            return looks == 6
        self.until(listens, run)

    def send(self, command, **changed):
        """Executes a send command with changed options, such as a shorter duration and a lower speed for a test
        on a busy machine."""
        words = list(command)
        for option, value in changed.items():
            option = "--" + option
            if option in words:
                words[words.index(option) + 1] = value
            else:
                words += [option, value]
        sent = subprocess.run([self.takt, *words, "--format", "json"], cwd=self.folder, stdout=subprocess.PIPE, check=True)
        return json.loads(sent.stdout)

    def settle(self, run, taken, least=1):
        """Ends the run after a while without new output, or after a long wait for the least output."""
        last, since = -1, time.monotonic()
        while run.poll() is None and time.monotonic() - since < (1.5 if last >= least else 30):
            now = taken()
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), 0, self.said(run))

    def sizes(self, pattern):
        return sum(os.path.getsize(name) for name in glob.glob(self.path(pattern)))


def main():
    """Runs the tests. Arguments: TAKT SOURCE_FOLDER, then those of unittest."""
    if INSIDE not in os.environ:
        enter_network()
    PageTest.takt, PageTest.source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
