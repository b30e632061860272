#!/usr/bin/env python3
"""Checks that every recipe of the cookbook has the described results, as it is written there.

cookbook_test.py TAKT SOURCE_FOLDER
"""

import array
import contextlib
import glob
import io
import json
import math
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time

from pages import PageTest, main


class Recipes(PageTest):
    page = "how-to/cookbook.md"

    def test_a_station_spectrometer_finds_the_tone(self):
        section = "A station spectrometer"
        run = self.start(*self.command(section, "run"), "--no-serve")
        self.until_it_receives(run)
        self.send(self.command(section, "send"), duration="600ms", speed="0.1")
        self.settle(run, lambda: self.sizes("*.fil"), least=1_000_000)
        with open(self.path("lofar-spectrometer.fil"), "rb") as file:
            data = file.read()
        header = data[: data.index(b"HEADER_END") + 10]
        first, step = (struct.unpack_from("<d", header, header.index(key) + 4)[0] for key in (b"fch1", b"foff"))
        channels = struct.unpack_from("<i", header, header.index(b"nchans") + 6)[0]
        values = array.array("f", data[len(header):])
        self.assertGreaterEqual(len(values), 10 * channels)
        powers = values[-channels:]
        loudest = max(range(channels), key=powers.__getitem__)
        self.assertAlmostEqual(first + loudest * step, 150, delta=0.004)

    def test_a_pulsar_search_finds_each_pulse_at_its_dispersion_measure_and_time(self):
        section = "A pulsar search"
        command = self.command(section, "send")
        def sent(option):
            return command[command.index("--" + option) + 1]
        period, width, measure = 0.5, 2e-3, float(sent("dm"))
        self.assertEqual((sent("pulse-period"), sent("pulse-width"), sent("frequency")), ("500ms", "2ms", "400MHz"))
        run = self.start(*self.command(section, "run"), "--no-serve", "--report", "report.json")
        self.until_it_receives(run)
        self.send(command, duration="4s", speed="0.5")
        self.settle(run, lambda: self.sizes("pulsar-search.fil"), least=180 * 100 * 64)
        # The Python code of the page.
        names, before = {}, os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(self.block(section, "python"), names)  # pylint: disable=exec-used
        self.assertEqual(len(said.getvalue().splitlines()), len(names["pulses"]))
        # 4 s contain 8 pulses; the first or the last one may be cut off.
        pulses = names["pulses"]
        self.assertIn(len(pulses), (7, 8), said.getvalue())
        # Lorimer and Kramer, "Handbook of pulsar astronomy", 4.1.1; the highest channel is at 403.15 MHz.
        delay = 4.148808e3 * measure / 403.15**2
        for pulse in pulses:
            self.assertEqual(pulse["dm"], measure, said.getvalue())
            self.assertEqual(pulse["dm"], 10 * pulse["trial"])
            middle = pulse["utc"] - (pulse["width"] - 1) / 2 * 0.2e-3
            off = (middle - delay - width / 2 + period / 2) % period - period / 2
            self.assertLess(abs(off), 1e-3, said.getvalue())
            self.assertIn(pulse["width"], (8, 16))
            self.assertGreater(pulse["value"], 2)

    def test_a_vlbi_recorder_keeps_what_came(self):
        section = "A VLBI recorder"
        with open(self.path("vlbi-recorder.yaml"), "w", encoding="utf-8") as file:
            file.write(self.block(section, "yaml"))
        run = self.start(*self.command(section, "run"), "--no-serve")
        self.until_it_receives(run)
        # Complete frames of 40 packets: an incomplete last frame would be marked as invalid.
        sent = self.send(self.command(section, "send"), duration="200ms", speed="0.05")
        self.settle(run, lambda: self.sizes("scan-*.vdif"), least=400 * 8032)
        self.assertEqual(sent["packets"], 400)
        recorded = b""
        for name in sorted(glob.glob(self.path("scan-*.vdif"))):
            with open(name, "rb") as file:
                recorded += file.read()
        self.assertEqual(len(recorded), 400 * (32 + 8000))
        words = [struct.unpack_from("<4I", recorded, at) for at in range(0, len(recorded), 8032)]
        self.assertEqual(sum(word[0] >> 31 for word in words), 0, "invalid frames")
        self.assertEqual({(word[3] >> 16) & 0x3FF for word in words}, {0, 1})
        self.assertEqual({word[3] & 0xFFFF for word in words}, {17})
        for thread in (0, 1):
            numbers = [word[1] & 0xFFFFFF for word in words if (word[3] >> 16) & 0x3FF == thread]
            self.assertEqual(sorted(numbers), list(range(200)))

    def test_two_stations_come_together(self):
        with open(self.path("configs/two-stations.yaml"), encoding="utf-8") as file:
            commands = re.findall(r"^#   takt (send .*?)(?: &)?$", file.read(), re.M)
        self.assertEqual(len(commands), 2)
        run = self.start("run", "configs/two-stations.yaml", "--no-serve", "--report", "report.json")
        self.until_it_receives(run)
        other = threading.Thread(target=self.send, args=(commands[0].split(),), kwargs={"duration": "500ms", "speed": "0.05"})
        other.start()
        self.send(commands[1].split(), duration="500ms", speed="0.05")
        other.join()
        self.settle(run, lambda: sum(os.path.getsize(self.path(name)) for name in os.listdir(self.folder) if os.path.isfile(self.path(name))))
        with open(self.path("report.json"), encoding="utf-8") as file:
            report = json.load(file)
        west, east = report["sources"]
        self.assertEqual(west["counters"]["packets_lost"], 0)
        self.assertGreater(east["counters"]["packets_lost"], 0)
        self.assertGreater(report["frames"]["delivered"], 0)

    def test_a_seismic_array_triggers_on_an_event(self):
        section = "A seismic array"
        with open(self.path("seismic-array.yaml"), "w", encoding="utf-8") as file:
            file.write(self.block(section, "yaml"))
        stations = ["HGN", "WIT", "WTSB"]
        rate, seconds = 40, 120
        # Noise, and from 80 s on a signal of twenty times the amplitude in the band of the filter.
        def sample(k, n):
            quake = 2000 * math.sin(2 * math.pi * 3 * n / rate) if n >= 80 * rate else 0
            return int(100 * math.sin(1.7 * n + k) * math.cos(0.31 * n * n + k) + quake)
        traces = [[sample(k, n) for n in range(rate * seconds)] for k in range(3)]
        server = SeedlinkServer(stations, traces, rate)
        self.addCleanup(server.close)
        run = self.start("run", "seismic-array.yaml", "--no-serve")
        self.until(lambda: server.sent.is_set(), run)
        self.settle(run, lambda: self.sizes("array-*"), least=30 * 512)
        # Reads the archive again.
        with open(self.path("again.yaml"), "w", encoding="utf-8") as file:
            file.write(f"""name: again
sources: {{s: {{type: mseed_file, files: [{", ".join(sorted(os.path.basename(name) for name in glob.glob(self.path("array-*.mseed"))))}]}}}}
sinks: {{o: {{type: raw, input: s, path: again.raw}}}}
deployment: {{ranks: 1}}
""")
        self.assertEqual(self.start("run", "again.yaml", "--no-serve").wait(90), 0)
        values = array.array("f")
        with open(self.path("again.raw"), "rb") as file:
            values.frombytes(file.read())
        for k in range(3):
            kept = [int(value) for value in values[k::3] if not math.isnan(value)]
            self.assertEqual(kept, traces[k][: len(kept)])
            self.assertGreaterEqual(len(kept), rate * (seconds - 2))
        triggers = glob.glob(self.path("triggers-*.h5"))
        self.assertEqual(len(triggers), 1)
        try:
            import h5py
        except ImportError:
            return
        with h5py.File(triggers[0]) as file:
            moments = [float(event[0]) for event in file["data"][:].reshape(-1, file["data"].shape[-1]) if not math.isnan(event[0])]
        self.assertGreater(len(moments), 0)
        # The filter and the short mean respond within seconds, and there is no earlier trigger.
        self.assertGreaterEqual(min(moments), server.START + 80)
        self.assertLess(min(moments), server.START + 83)

    def test_a_sequential_c_program_prints_an_energy_for_each_measurement(self):
        if shutil.which("clang") is None:
            self.skipTest("clang is not installed")
        section = "A sequential C program"
        with open(self.path("energy.c"), "w", encoding="ascii") as file:
            file.write(self.block(section, "c"))
        written = self.start(*self.command(section, "parallelise"))
        self.assertEqual(written.wait(), 0, self.said(written))
        subprocess.run(["make", "-C", "energy"], cwd=self.folder, stdout=subprocess.DEVNULL, check=True)
        measurements = [[(7 * i + k) % 5 - 1.5 for i in range(8)] for k in range(6)]
        with open(self.path("energy/input.txt"), "w", encoding="ascii") as file:
            file.writelines(" ".join(map(str, each)) + "\n" for each in measurements)
        run = self.start(*self.command(section, "run"), "--no-serve")
        self.assertEqual(run.wait(), 0, self.said(run))
        with open(self.path("energy.txt"), encoding="ascii") as file:
            energies = [float(line) for line in file]
        # Parseval's theorem.
        self.assertEqual(energies, [sum(value * value for value in each) for each in measurements])

    def test_a_software_radio_sends_spectra_to_any_receiver(self):
        with open(self.path("software-radio.yaml"), "w", encoding="utf-8") as file:
            file.write(self.block("Software radio", "yaml"))
        # takt replaces both the flow graph and the receiver.
        with open(self.path("radio.yaml"), "w", encoding="utf-8") as file:
            file.write("""name: radio
sources: {s: {type: synthetic, element: complex_float32, axes: [beamlet=1, time=20000, polarisation=1], pattern: tone, frequency: 0.125, rate: 20 Hz}}
sinks: {o: {type: zmq, input: s, endpoint: "tcp://127.0.0.1:5555", bind: true, format: gnuradio_tags}}
deployment: {ranks: 1}
""")
        with open(self.path("anybody.yaml"), "w", encoding="utf-8") as file:
            file.write("""name: anybody
sources: {s: {type: zmq, endpoint: "tcp://127.0.0.1:5556", element: complex_float32, axes: [time=100, channel=200, polarisation=1]}}
sinks: {o: {type: raw, input: s, path: anybody.raw}}
deployment: {ranks: 1}
""")
        radio = self.start("run", "radio.yaml", "--no-serve")
        self.until_it_listens(radio, 5555)
        run = self.start("run", "software-radio.yaml", "--no-serve")
        self.until_it_listens(run, 5556)
        anybody = self.start("run", "anybody.yaml", "--no-serve", "--frames", "5")
        self.assertEqual(anybody.wait(180), 0, self.said(anybody))
        for each in (run, radio):
            each.send_signal(signal.SIGINT)
            self.assertEqual(each.wait(60), 0, self.said(each))
        values = array.array("f")
        with open(self.path("anybody.raw"), "rb") as file:
            values.frombytes(file.read())
        self.assertEqual(len(values), 5 * 100 * 200 * 2)
        last = values[-400:]
        powers = [last[2 * i] ** 2 + last[2 * i + 1] ** 2 for i in range(200)]
        loudest = max(range(200), key=powers.__getitem__)
        # 1/8 of the sample rate above the middle, or above the first channel.
        self.assertIn(loudest, (25, 125))
        self.assertEqual(len(glob.glob(self.path("radio-*.h5"))), 1)


class SeedlinkServer:
    """The part of SeedLink 3 that the recipe needs: stations, streams, and miniSEED 2 records of integers."""

    START = 1_700_000_000

    def __init__(self, stations, traces, rate):
        self.sent = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 18000))
        self.data = (stations, traces, rate)
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.listener.close()

    @staticmethod
    def record(station, number, first, samples, rate):
        moment = time.gmtime(first)
        fraction = round((first - math.floor(first)) * 10_000)
        header = f"{number:06d}D ".encode() + station.ljust(5).encode() + b"00BHZNL"
        header += struct.pack(">HHBBBBH", moment.tm_year, moment.tm_yday, moment.tm_hour, moment.tm_min, moment.tm_sec, 0, fraction)
        header += struct.pack(">HhhBBBBiHH", len(samples), rate, 1, 0, 0, 0, 1, 0, 64, 48)
        header += struct.pack(">HHBBBB", 1000, 0, 3, 1, 9, 0)
        return (header.ljust(64, b"\0") + struct.pack(f">{len(samples)}i", *samples)).ljust(512, b"\0")

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.talk(connection)

    def talk(self, connection):
        stations, traces, rate = self.data
        lines = connection.makefile("rb")
        for line in lines:
            word = line.split()[0].upper() if line.split() else b""
            if word == b"HELLO":
                connection.sendall(b"SeedLink v3.1 test\r\nhere\r\n")
            elif word == b"END":
                break
            elif word == b"BYE":
                return
            else:
                connection.sendall(b"OK\r\n")
        number, piece = 0, 100
        for first in range(0, len(traces[0]), piece):
            for station, trace in zip(stations, traces):
                number += 1
                record = self.record(station, number, self.START + first / rate, trace[first:first + piece], rate)
                connection.sendall(b"SL%06X" % number + record)
        self.sent.set()
        lines.read(1)


if __name__ == "__main__":
    main()
