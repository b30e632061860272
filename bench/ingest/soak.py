#!/usr/bin/env python3
"""Does takt receive a whole LOFAR station in real time without losses for long, and at which cost?

`takt send` sends a station of 4 lanes (48,828 packets/s, 3.06 Gbit/s) over the loopback, and `takt run` receives it into
a sink that discards frames. Prints the receiver's share of a core (all processes of the run, from its first packet to its
last), then the losses, from the counters of the receiver and the sender.

bench/ingest/soak.py [--seconds 600] [--takt build/release/cli/takt]

Run it on an idle machine: delays of the sender are reported (put_off), delays of the receiver cause losses.
"""

import argparse
import json
import os
import platform
import signal
import subprocess
import tempfile
import threading
import time

PIPELINE = """name: soak
sources:
  station: {{type: lofar_udp, ports: [{ports}], beamlets: 122, bits: 8, packets: 512, depth: 64, start_timeout: 60 s{options}}}
sinks: {{out: {{type: "null", input: station}}}}
deployment: {{ranks: 1}}
"""


def descendants(pid):
    found = [pid]
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as stat:
                    parent = int(stat.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found += descendants(int(entry))
    return found


def busy_seconds(pid):
    ticks = 0
    for each in descendants(pid):
        try:
            with open(f"/proc/{each}/stat") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=600)
    arguments.add_argument("--takt", default="build/release/cli/takt")
    arguments.add_argument("--port", type=int, default=16130)
    arguments.add_argument("--options", default="", help="more of the source, for example 'gro: false'")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file, report = os.path.join(folder, "soak.yaml"), os.path.join(folder, "report.json")
        with open(file, "w") as out:
            out.write(PIPELINE.format(ports=", ".join(str(given.port + lane) for lane in range(4)),
                                      options=", " + given.options if given.options else ""))
        run = subprocess.Popen([given.takt, "run", file, "--report", report, "--no-progress", "--no-serve"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        # The run measures before it receives.
        for line in run.stderr:
            if "receiving on" in line:
                break
        threading.Thread(target=run.stderr.read, daemon=True).start()
        before, began = busy_seconds(run.pid), time.monotonic()
        sent = json.loads(subprocess.run(
            [given.takt, "send", "--lanes", "4", "--to", f"127.0.0.1:{given.port}", "--duration", f"{given.seconds}s",
             "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
        share = (busy_seconds(run.pid) - before) / (time.monotonic() - began)
        # Lets the last frames arrive.
        time.sleep(2)
        run.send_signal(signal.SIGINT)
        code = run.wait()
        received = json.load(open(report))
    counters = received["sources"][0]["counters"]
    print(f"share of a core  {share:.3f}")
    print(f"lost packets     {counters['packets_lost']} of {sent['packets']} sent; kernel drops {counters['kernel_drops']}")
    print(f"received         {counters['packets_received']} packets; the sender was held up for {sent['put_off_seconds']:.3f} s")
    print(f"frames           {json.dumps(received['frames'])}")
    print(f"machine          {platform.processor() or platform.machine()}, {os.cpu_count()} cores; {given.seconds:g} s")
    return code


if __name__ == "__main__":
    raise SystemExit(main())
