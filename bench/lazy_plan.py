#!/usr/bin/env python3
"""Are programs of millions of calls planned in linear time and little memory?

Plans docs/examples/parallelise/fft.c call by call (`takt plan --lazy`) for several numbers of sections, and prints a line for
each: calls, seconds of processor time, nanoseconds a call, and the largest resident memory of takt and of clang, which it runs, whichever is
larger. The last line compares the slowest and the fastest time a call.

    bench/lazy_plan.py [--takt build/release/cli/takt] [--sections 16384,131072,1048576] [--machine delay:P=8]
"""

import argparse
import json
import os
import pathlib
import subprocess

PROGRAM = pathlib.Path(__file__).resolve().parent.parent / "docs/examples/parallelise/fft.c"


def plan(takt, sections, machine):
    """Returns takt's figures, seconds of processor time, and the largest resident memory in MiB."""
    child = subprocess.Popen([takt, "plan", f"{PROGRAM}:PN={sections}", "--machine", machine, "--lazy", "--format", "json"],
                             stdout=subprocess.PIPE, text=True)
    output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"takt plan fft.c:PN={sections} failed")
    return json.loads(output), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--sections", default="16384,131072,1048576")
    parser.add_argument("--machine", default="delay:P=8")
    arguments = parser.parse_args()
    costs = []
    print("| sections | calls | seconds | ns a call | memory | speed-up |\n|--:|--:|--:|--:|--:|--:|")
    for sections in arguments.sections.split(","):
        figures, seconds, memory = plan(arguments.takt, sections, arguments.machine)
        costs.append(1e9 * seconds / figures["calls"])
        print(f"| {sections} | {figures['calls']} | {seconds:.1f} | {costs[-1]:.0f} | {memory:.0f} MiB | {figures['speed_up']:.2f} |",
              flush=True)
    print(f"\nthe slowest call takes {max(costs) / min(costs):.2f} times as long as the fastest; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
