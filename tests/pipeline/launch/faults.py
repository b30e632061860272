#!/usr/bin/env python3
"""Checks that a run conserves all frames while random faults occur.

Runs a pipeline with restarts (docs/how-to/restart.md) and, for a given time, injects faults drawn with a seed. It kills ranks
and mpirun, stops ranks for a moment or until they count as dead, takes half of its processor from a rank, and fills the
disk (as root). Inside tests/support/hosts.sh it also cuts and restores the link of the second host, and kills all of
its processes. Then it ends the run, and compares the output with the expected frames, and with the report. Exit code 1:
frames were lost, duplicated or miscounted.

    tests/pipeline/launch/faults.py --seconds 300 --seed 1
    tests/support/hosts.sh 2 -- tests/pipeline/launch/faults.py --seconds 300 --seed 1
"""

import argparse
import array
import collections
import ctypes
import errno
import glob
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SAMPLES, GROUP = 16, 4

PIPELINE = """name: faults
sources:
  counter: {{type: synthetic, element: float32, axes: [time={samples}, channel=1], pattern: count}}
tasks:
  slow: {{{slow}, input: counter}}
  sums: {{kernel: integrate, input: slow, factor: {factor}}}
sinks:
  all: {{type: raw, input: slow, path: {folder}/all.raw, rotate_size: 1 MB, backlog: {{policy: block, depth: 4}}}}
  few: {{type: raw, input: sums, path: {folder}/few.raw}}
scheduler: basic_fo
deployment:
  ranks: {ranks}
  machine: "logp:P={ranks},L=1000,o=1000,g=1000"
  {hosts}
  restart: {{attempts: 1000000, backoff: 50 ms, every: 200 ms}}
"""


def unmount(folder):
    detach = 2
    ctypes.CDLL(None).umount2(str(folder).encode(), detach)


def mount_small_disk(folder, megabytes):
    """Mounts a small file system, visible to this process and its children only. Returns False without
    permission."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, private = 0x20000, (1 << 18) | 0x4000
    if os.geteuid() != 0 or libc.unshare(new_namespace) != 0 or libc.mount(b"none", b"/", None, private, None) != 0:
        return False
    return libc.mount(b"tmpfs", str(folder).encode(), b"tmpfs", 0, f"size={megabytes}m".encode()) == 0


class Run:
    def __init__(self, options, folder):
        self.folder, self.file = folder, folder / "faults.yaml"
        self.report = folder / "report.json"
        tag = os.environ.get("TAKT_HOSTS_TAG")
        self.file.write_text(PIPELINE.format(samples=SAMPLES, factor=SAMPLES * GROUP, folder=folder / "out",
                                             slow=self.slow(options.idle),
                                             ranks=options.ranks,
                                             hosts="hosts: [h1.test, h2.test]" if tag else ""))
        self.log = open(folder / "log", "w")
        self.program = subprocess.Popen([options.takt, "run", str(self.file), "--no-serve", "--trial", "0s",
                                         "--format", "none", "--report", str(self.report)], stderr=self.log)

    def slow(self, is_idle):
        if not is_idle:
            return "kernel: spin, time: 500 us"
        script = self.folder / "slow.py"
        script.write_text("import time\n\n\ndef process(frame):\n    time.sleep(0.004)\n    return frame\n")
        return f"kernel: python, file: {script}, interpreter: /usr/bin/python3"

    def written(self):
        return sum(os.path.getsize(file) for file in glob.glob(str(self.folder / "out" / "all*.raw")))

    def processes(self, wanted):
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == self.program.pid:
                continue
            try:
                words = pathlib.Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
                if str(self.file).encode() not in words:
                    continue
                environment = pathlib.Path(f"/proc/{entry}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            is_rank = any(each.startswith(b"OMPI_COMM_WORLD_RANK=") for each in environment)
            is_starter = words[0] == b"mpirun"
            if (wanted == "rank" and is_rank) or (wanted == "starter" and is_starter and not is_rank):
                found.append(int(entry))
        return found

    def signal_one(self, draw, wanted, number):
        pids = self.processes(wanted)
        if not pids:
            return None
        pid = draw.choice(pids)
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return None
        return pid


def kill_rank(run, draw):
    return run.signal_one(draw, "rank", signal.SIGKILL) is not None


def kill_starter(run, draw):
    return run.signal_one(draw, "starter", signal.SIGKILL) is not None


def stop_rank(run, draw, seconds):
    pid = run.signal_one(draw, "rank", signal.SIGSTOP)
    if pid is None:
        return False
    time.sleep(seconds)
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass
    return True


def slow_rank(run, draw):
    pids = run.processes("rank")
    if not pids:
        return False
    pid, until = draw.choice(pids), time.monotonic() + draw.uniform(0.5, 2)
    try:
        while time.monotonic() < until:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.01)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)
    except ProcessLookupError:
        pass
    return True


def fill_disk(run, draw):
    filler = run.folder / "out" / "filler"
    try:
        with open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
    time.sleep(draw.uniform(0.2, 2))
    filler.unlink()
    return True


def cut_link(run, draw, seconds):
    link = ["ip", "-n", os.environ["TAKT_HOSTS_TAG"] + "-switch", "link", "set", "port2"]
    subprocess.run(link + ["down"], check=True)
    time.sleep(seconds)
    subprocess.run(link + ["up"], check=True)
    return True


def lose_host(run, draw):
    """Kills all processes on the second host, which returns immediately or after a while."""
    silent = pathlib.Path(os.environ["TAKT_HOSTS_FOLDER"]) / "silent-h2.test"
    if draw.random() < 0.5:
        silent.touch()
    pids = subprocess.run(["ip", "netns", "pids", os.environ["TAKT_HOSTS_TAG"] + "-2"], capture_output=True,
                          text=True).stdout.split()
    for pid in pids:
        try:
            os.kill(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
    time.sleep(draw.uniform(0, 6))
    silent.unlink(missing_ok=True)
    return bool(pids)


def faults(has_disk, is_short):
    """Returns the weight and the function of each fault, by name."""
    table = {"kill a rank": (6, kill_rank), "kill mpirun": (2, kill_starter),
             "stop a rank for a moment": (4, lambda run, draw: stop_rank(run, draw, draw.uniform(0.05, 2))),
             "slow rank": (3, slow_rank)}
    if not is_short:
        table["stop a rank until it is dead"] = (1, lambda run, draw: stop_rank(run, draw, 13))
    if has_disk:
        table["full disk"] = (2, fill_disk)
    if os.environ.get("TAKT_HOSTS_TAG"):
        table["cut the link for a moment"] = (2, lambda run, draw: cut_link(run, draw, draw.uniform(0.1, 3)))
        table["lose a host"] = (2, lose_host)
        if not is_short:
            table["cut the link until it is dead"] = (1, lambda run, draw: cut_link(run, draw, 14))
    return table


def numbers(name):
    """Returns the values of all files of a series, in order."""
    values = array.array("f")
    for file in sorted(glob.glob(name + ".raw") + glob.glob(name + "-*.raw"),
                       key=lambda path: int(path[len(name) + 1:-4] or 1) if path != name + ".raw" else 1):
        values.frombytes(pathlib.Path(file).read_bytes())
    return values


def check(run):
    """Returns the errors (none if every frame exists once) and the report."""
    wrong = []
    report = json.loads(run.report.read_text())
    frames = report["frames"]
    count = frames["ingested"]
    if frames["lost"] or frames["dropped"] or frames["delivered"] != count:
        wrong.append(f"the report says {frames}")
    every = numbers(str(run.folder / "out" / "all"))
    if len(every) != count * SAMPLES:
        wrong.append(f"{len(every) / SAMPLES} frames are in the files, {count} were ingested")
    for i in range(0, len(every), SAMPLES):
        # float32 counts to 2^24.
        if any(value != i // SAMPLES for value in every[i:i + SAMPLES]):
            wrong.append(f"frame {i // SAMPLES} is {every[i]}")
            break
    few = numbers(str(run.folder / "out" / "few"))
    scale = few[0] / 1.5 if few else 1
    for i in range(count // GROUP):
        if i >= len(few) or few[i] != scale * (i * GROUP + 1.5):
            wrong.append(f"sum {i} is {few[i] if i < len(few) else 'missing'}")
            break
    return wrong, report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--idle", action="store_true", help="frames wait instead of computing: cheap for hours")
    parser.add_argument("--takt", default=str(ROOT / "build/release/cli/takt"))
    parser.add_argument("--keep", action="store_true", help="copy what was written to /tmp/takt-faults-SEED")
    options = parser.parse_args()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="takt-faults-") as name:
        folder = pathlib.Path(name)
        (folder / "out").mkdir()
        # A frame takes at least 0.5 ms.
        has_disk = mount_small_disk(folder / "out", 64 + int(options.seconds * 2000 * SAMPLES * 4 * 1.5 / 1e6))
        run = Run(options, folder)
        table = faults(has_disk, options.seconds < 60)
        names = [each for each, (weight, _) in table.items() for _ in range(weight)]
        done = collections.Counter()
        # A host that is unreachable before the start is the user's error.
        until = time.monotonic() + 90
        while run.program.poll() is None and run.written() == 0 and time.monotonic() < until:
            time.sleep(0.1)
        end = time.monotonic() + options.seconds
        while time.monotonic() < end and run.program.poll() is None:
            time.sleep(min(draw.uniform(0.2, 4), max(0, end - time.monotonic())))
            fault = draw.choice(names)
            if table[fault][1](run, draw):
                done[fault] += 1
        time.sleep(3)
        # A signal between two starts would end the run immediately: sends it while ranks work.
        until = time.monotonic() + 90
        while run.program.poll() is None and time.monotonic() < until:
            size = run.written()
            time.sleep(0.5)
            if run.written() > size:
                break
        run.program.send_signal(signal.SIGINT)
        status = run.program.wait(timeout=60)
        log = (folder / "log").read_text()
        if status != 0:
            print(log, f"exit code {status}", sep="\n")
            if has_disk:
                unmount(folder / "out")
            return 1
        wrong, report = check(run)
        if options.keep:
            subprocess.run(["cp", "-r", name, f"/tmp/takt-faults-{options.seed}"], check=False)
        if has_disk:
            unmount(folder / "out")
        for fault, count in done.most_common():
            print(f"{count:5} times: {fault}")
        print(f"seed {options.seed}: {report['frames']['ingested']} frames, {len(report['restarts'])} restarts, "
              + ("every frame once" if not wrong else "; ".join(wrong)))
        if wrong:
            print(log)
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
