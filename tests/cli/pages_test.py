#!/usr/bin/env python3
"""Checks that the commands in documents have the documented results, as they are written there.

pages_test.py TAKT SOURCE_FOLDER
"""

import array
import glob
import json
import math
import os
import re
import shlex
import signal
import subprocess

from pages import PageTest, main


class Pages(PageTest):
    """Shortens commands that would last too long for a test, and lengthens streams that must not end before it."""

    def commands(self, section):
        """Returns the commands of the section's block as lists of words, without comments."""
        lines = [shlex.split(line, comments=True) for line in self.block(section, "sh").splitlines()]
        return [words for words in lines if words]

    def ask(self, words, code=0):
        """Runs `takt` with these words to its end, and returns its output."""
        self.assertEqual(words[0], "takt")
        done = subprocess.run([self.takt, *words[1:]], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=False, timeout=300, env=self.environment())
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def environment(self):
        return {**os.environ, "XDG_STATE_HOME": self.path("state")}

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read_json(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return json.load(file)

    def samples(self, name):
        """Returns the samples that are not missing."""
        values = array.array("f")
        with open(self.path(name), "rb") as file:
            values.frombytes(file.read())
        return [value for value in values if not math.isnan(value)]

    def change(self, name, old, new):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        os.remove(self.path(name))
        self.write(name, text.replace(old, new))


class Streams(Pages):
    page = "how-to/streams.md"

    # 16 spectra of 1024 channels, float32; three values for each of 8 channels.
    streams = {"survey": (20, 100, 16 * 1024 * 4), "watch": (100, 500, 3 * 8 * 4)}

    def test_two_pipelines_at_once_account_for_all_their_frames(self):
        first, second = self.commands("Several pipelines at once")
        for words in (first, second):
            said = self.ask(words)
            for name, (rate, frames, size) in self.streams.items():
                row = re.search(rf"(?m)^{name} +{rate} Hz .* (\d+) +(\d+) +(\d+) +[0-9.]+ \w+$", said)
                self.assertIsNotNone(row, said)
                # A busy computer drops some frames.
                delivered, lost, dropped = map(int, row.groups())
                self.assertEqual((delivered + dropped, lost), (frames, 0), said)
                self.assertEqual(self.sizes(f"{name}.raw"), delivered * size)
        streams = {each["name"]: each for each in self.read_json(second[second.index("--report") + 1])["streams"]}
        self.assertEqual(set(streams), set(self.streams))
        for each in streams.values():
            self.assertGreaterEqual(each["frequency_hz"]["promised"], each["frequency_hz"]["required"])

    def test_a_service_adds_shows_and_drops_a_stream(self):
        serve, add, *looks, logs, drop = self.commands("A service")
        self.assertEqual(serve, ["takt", "serve", "&"])
        # Longer than this test.
        self.change("configs/watch.yaml", "frames: 500", "frames: 1000000")
        service = subprocess.Popen([self.takt, "serve"], cwd=self.folder, stderr=subprocess.DEVNULL, env=self.environment())
        self.addCleanup(service.kill)
        self.assertRegex(self.ask(add), r"watch runs on processor \d: 100 Hz required")
        ps, status = (self.ask(words) for words in looks)
        self.assertRegex(ps, r"(?m)^watch +running +100 Hz")
        self.assertIn("1 stream", status)
        self.ask(logs)
        self.ask(drop)
        self.assertNotIn("watch", self.ask(looks[0]))
        self.assertGreater(self.sizes("watch.raw"), 0)
        service.send_signal(signal.SIGTERM)
        self.assertEqual(service.wait(60), 0)


class Mseed(Pages):
    page = "reference/mseed.md"

    def test_a_seedlink_server_makes_traces_up_and_replays_files(self):
        made_up, replayed = self.commands("Sending")
        self.assertRegex(self.ask(made_up), r"sent 40 packets of the stream")
        # Sends the same traces without losses to a receiver that keeps them.
        channels = made_up[made_up.index("--traces") + 1].split(",")
        wanted = f"channels: [{', '.join(channels)}]"
        self.write("keep.yaml", f"""name: keep
sources: {{s: {{type: seedlink, server: "127.0.0.1:18000", {wanted}, rate: 40 Hz}}}}
sinks:
  kept: {{type: mseed, input: s, {wanted}, path: array.mseed}}
  told: {{type: raw, input: s, path: kept.raw}}
deployment: {{ranks: 1}}
""")
        self.pass_on([word for word in made_up if word not in ("--receivers", "0", "--drop", "0.01")], "keep.yaml")
        # Frames begin at multiples of their length, but records begin at the start of the sender.
        kept = self.samples("kept.raw")
        self.assertEqual(len(kept), 20 * 100 * 2)
        self.assertEqual(self.sizes("array.mseed") % 512, 0)
        # The samples replayed at ten times their speed are the kept ones.
        self.write("again.yaml", f"""name: again
sources: {{s: {{type: seedlink, server: "127.0.0.1:18000", {wanted}, rate: 40 Hz}}}}
sinks: {{told: {{type: raw, input: s, path: again.raw}}}}
deployment: {{ranks: 1}}
""")
        sent = self.pass_on(replayed, "again.yaml")
        self.assertEqual(self.samples("again.raw"), kept)
        # 50 s of samples, of which the first record is sent immediately.
        self.assertGreater(sent["seconds"], 4)

    def pass_on(self, send, pipeline):
        """Starts a server, and a run that receives everything that it sends."""
        self.assertEqual(send[0], "takt")
        server = subprocess.Popen([self.takt, *send[1:], "--format", "json"], cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.kill)
        self.until(lambda: self.listens(18000))
        run = self.start("run", pipeline, "--no-serve")
        self.assertEqual(run.wait(180), 0, self.said(run))
        said, _ = server.communicate(timeout=120)
        self.assertEqual(server.returncode, 0)
        return json.loads(said)

    @staticmethod
    def listens(port):
        with open("/proc/net/tcp", encoding="ascii") as table:
            return any(f":{port:04X} " in line and line.split()[3] == "0A" for line in table)


class Live(Pages):
    page = "reference/live.md"

    def test_a_post_begins_new_files(self):
        self.write("p.yaml", """name: p
sources: {s: {type: synthetic, element: float32, axes: [time=16], rate: 50 Hz}}
sinks: {o: {type: raw, input: s, path: o.raw}}
deployment: {ranks: 1, machine: "logp:P=1,L=1,o=1,g=1"}
""")
        run = self.start("run", "p.yaml", "--serve", "9464")
        self.until(lambda: self.sizes("o.raw") > 0, run)
        token = re.search(r"live at http://127\.0\.0\.1:9464/#(\S+)", self.said(run)).group(1)
        def is_asked_for():
            """Returns whether the server accepts the request, which it does once it knows the plan, shortly
            after the ranks."""
            done = subprocess.run(["sh", "-c", self.block("Steering", "sh")], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "TOKEN": token})
            self.assertEqual(done.returncode, 0, done.stderr)
            return b"asked for" in done.stdout
        self.until(is_asked_for, run)
        self.until(lambda: self.sizes("o-2.raw") > 0, run)
        self.settle(run, lambda: 0, least=0)
        # Both files contain whole frames, and no frame twice.
        for name in ("o.raw", "o-2.raw"):
            self.assertEqual(self.sizes(name) % 64, 0)


class Calibration(Pages):
    page = "explanation/calibration.md"

    def test_a_machine_file_plans_and_runs(self):
        here, hosts, under_mpirun, medians, percentiles, run = self.commands("")
        self.assertIn("--hosts", hosts)
        self.assertEqual(under_mpirun[0], "mpirun")
        # A single short calibration is accepted on a quiet host only.
        short = ["--duration", "1s", "--largest", "64 KiB", "--ranks", "2", "--force", "--no-progress"]
        self.ask([*here, *short], code=None)
        if not os.path.exists(self.path("m.yaml")):
            self.skipTest("the host is too noisy to calibrate")
        with open(self.path("m.yaml"), encoding="utf-8") as file:
            machine = file.read()
        for profile in ("predict", "verify"):
            self.assertIn(profile, machine)
        shown = [self.ask(words) for words in (medians, percentiles)]
        for each in shown:
            self.assertIn("valid", each)
        self.write("pipeline.yaml", """name: pipeline
sources: {sky: {type: synthetic, element: complex_float32, axes: [beamlet=1, time=4096, polarisation=2], rate: 200 Hz, frames: 100}}
tasks:
  spectrum: {kernel: fft, input: sky, channels: 256}
  power: {kernel: stokes, input: spectrum}
sinks: {file: {type: raw, input: power, path: power.raw}}
deployment: {ranks: 2}
""")
        self.ask([*run, "--no-serve"])
        self.assertEqual(self.sizes("power.raw"), 100 * 16 * 256 * 4)


class Editors(Pages):
    page = "reference/editors.md"

    def shell(self, command, code=0):
        done = subprocess.run(["sh", "-c", command], cwd=self.folder, capture_output=True, text=True, check=False, timeout=300,
                              env={**self.environment(), "PATH": os.path.dirname(self.takt) + ":" + os.environ["PATH"]})
        self.assertEqual(done.returncode, code, f"{command}: {done.stdout}{done.stderr}")

    def test_a_validator_takes_pipelines_by_the_schema_and_refuses_wrong_ones(self):
        self.shell(self.block("", "sh").splitlines()[0])
        check = self.block("Continuous integration", "sh")
        for name in sorted(glob.glob(self.path("configs/*.yaml"))):
            self.shell(check.replace("pipeline.yaml", os.path.relpath(name, self.folder)))
        with open(self.path("configs/first.yaml"), encoding="utf-8") as file:
            first = file.read()
        self.assertIn("kernel: fft", first)
        self.write("pipeline.yaml", first.replace("kernel: fft", "kernel: ftt"))
        self.shell(check, code=1)

    def test_keys_have_help(self):
        self.shell(self.block("", "sh").splitlines()[0])
        schema = self.read_json("pipeline.schema.json")
        self.assertIn("draft-07", schema["$schema"])
        for key in ("sources", "tasks", "sinks", "deployment"):
            self.assertIn("description", schema["properties"][key])


class Clusters(Pages):
    page = "how-to/clusters.md"

    def script(self, section, *options):
        """Returns the job script for the example's pipeline with the section's deployment."""
        with open(self.path("configs/first.yaml"), encoding="utf-8") as file:
            first = re.sub(r"(?ms)^deployment:.*?(?=^\S|\Z)", "", file.read())
        self.write("station.yaml", first + self.block(section, "yaml"))
        return self.ask(["takt", "submit", "station.yaml", "--dry-run", *options])

    def test_a_slurm_script_asks_for_what_the_file_and_the_options_say(self):
        script = self.script("Slurm")
        for line in ("--partition=sky", "--nodes=3", "--time=0-02:00:00"):
            self.assertRegex(script, rf"#SBATCH {line}\b")
        self.assertRegex(script, r"takt run .*station\.yaml")
        self.assertRegex(self.script("Slurm", "--nodes", "2"), r"#SBATCH --nodes=2\b")

    def test_all_examples_are_pipelines_by_the_schema(self):
        import jsonschema
        import yaml
        schema = json.loads(self.ask(["takt", "list", "--schema"]))
        with open(self.path("configs/first.yaml"), encoding="utf-8") as file:
            first = yaml.safe_load(file)
        blocks = [block for text in self.sections.values() for block in re.findall("```yaml\n(.*?)```", text, re.S)]
        self.assertGreaterEqual(len(blocks), 2)
        for block in blocks:
            jsonschema.validate({**first, **yaml.safe_load(block)}, schema)


class Moldable(Pages):
    page = "reference/moldable.md"

    def blocks(self, section):
        text = self.block(section, "sh").replace("\\\n", " ")
        return [shlex.split(line) for line in text.splitlines()]

    def test_a_plan_keeps_its_guarantee(self):
        plan, compare = self.blocks("")
        said = self.ask(plan)
        self.assertLessEqual(float(re.search(r"at most ([\d.]+) times the least one", said.replace("\n", " ")).group(1)), 10)
        self.assertIn("valid: correct", said)
        self.assertIn("mcgas", self.ask(compare))

    def test_pipelines_run_in_groups_by_a_scheduler_and_by_a_schedule(self):
        section = next(title for title, text in self.sections.items() if "principal-component.yaml" in text)
        first, plan, second = self.blocks(section)
        self.ask([*first, "--frames", "20", "--overwrite", "--no-serve"])
        self.ask(plan)
        self.ask([*second, "--frames", "20", "--overwrite", "--no-serve", "--report", "r.json"])
        report = self.read_json("r.json")
        self.assertEqual(report["frames"]["delivered"], report["frames"]["ingested"] - report["frames"]["absorbed"])
        self.assertEqual(report["objective"], "given")


class Received(Pages):
    """A command that sends, and the pipeline that receives its packets."""

    def receive(self, send, pipeline, output):
        """Returns the file that the pipeline writes from the packets sent."""
        self.write("p.yaml", pipeline)
        run = self.start("run", "p.yaml", "--no-serve")
        self.until_it_receives(run)
        packets = send[send.index("--packets") + 1]
        # A busy computer could not receive at full speed.
        slowly = [word for word in send if word != "--fast"] + ["--speed", "0.05"]
        self.assertIn(f"sent {packets} packets of the stream", self.ask(slowly))
        self.settle(run, lambda: self.sizes(output))
        (name,) = glob.glob(self.path(output))
        return name


class Spead(Received):
    page = "reference/spead.md"

    def test_heaps_become_frames_of_sixteen(self):
        section = "A stream to test with"
        (send,) = self.commands(section)
        name = self.receive(send, self.block(section, "yaml"), "spead-*.raw")
        # Three packets per heap: six frames, and an incomplete seventh. Samples become complex_float32.
        self.assertEqual(os.path.getsize(name), 7 * 32768 * 8)


class Tutorial(Received):
    page = "tutorial.md"

    def blocks(self, section, language):
        return re.findall(f"```{language}\n(.*?)```", self.sections[section], re.S)

    def words(self, section):
        """Returns the commands of all blocks of a section."""
        lines = [shlex.split(line, comments=True) for block in self.blocks(section, "sh") for line in block.splitlines()]
        return [line for line in lines if line]

    def test_a_pipeline_is_run_changed_and_planned(self):
        second = "2. Run a pipeline"
        self.write("first.yaml", self.block(second, "yaml"))
        view, run, again = self.words(second)
        self.ask(view)
        with open(self.path("first.svg"), encoding="utf-8") as picture:
            self.assertIn("spectrum", picture.read())
        self.assertIn("1000 delivered", self.ask(run))
        self.assertEqual(os.path.getsize(self.path("power.raw")), 16_384_000)
        self.ask(run, code=2)
        self.ask(again)

        run, *views = self.words("3. Read the report")
        self.assertIn("planned", self.ask(run))
        self.assertEqual(self.read_json("report.json")["frames"]["delivered"], 1000)
        for view in views:
            self.ask(view)

        fourth = "4. Change a kernel"
        kernels, fft, dry, run = self.words(fourth)
        self.assertIn("stokes", self.ask(kernels))
        self.assertIn("channels", self.ask(fft))
        self.write("first.yaml", self.block(fourth, "yaml"))
        self.assertIn("average", self.ask(dry))
        self.ask(run)
        self.assertEqual(os.path.getsize(self.path("power.raw")), 2_048_000)

        self.write("first.yaml", self.block(second, "yaml"))
        plan, best, verify, view, run, sustain = self.words("6. Plan before you run")
        self.assertIn("limit", self.ask(plan))
        self.ask(best)
        self.assertIn("valid: correct", self.ask(verify))
        self.ask(view)
        self.assertIn("as given", self.ask(run))
        # Minutes: the search has its own tests.
        self.assertEqual(sustain, ["takt", "sustain", "first.yaml"])

    def test_the_tone_of_the_sender_is_in_the_file(self):
        section = "5. Send packets from a second terminal"
        run, send, view = self.words(section)
        self.assertEqual(run[:2], ["takt", "run"])
        self.assertEqual(view[:2], ["takt", "view"])
        self.write(run[2], self.block(section, "yaml"))
        running = self.start(*run[1:], "--no-serve")
        self.until_it_receives(running)
        sent = self.ask([*send, "--speed", "0.5"])
        dropped = int(re.search(r"faults: (\d+) dropped", sent).group(1))
        self.settle(running, lambda: self.sizes("radio-*.h5"))
        lost = int(re.search(r"packets lost (\d+)", self.said(running)).group(1))
        self.assertLessEqual(abs(lost - dropped), 1)
        (name,) = glob.glob(self.path("radio-*.h5"))
        self.assertRegex(self.ask(["takt", "view", name]), r"peak +channel 120 ")


class Gnuradio(Received):
    page = "reference/gnuradio.md"

    def test_the_tone_is_in_its_channel(self):
        (send,) = self.commands("UDP")
        name = self.receive(send, self.block("UDP", "yaml"), "radio-*.h5")
        said = self.ask(["takt", "view", name])
        self.assertRegex(said, r"frames +50\n")
        # 100 kHz of 1 MHz in 200 channels, with frequency 0 in the middle.
        self.assertRegex(said, r"peak +channel 120 ")


class Lwa(Received):
    page = "reference/lwa.md"

    def test_a_tone_is_found_above_each_centre(self):
        section = "A stream to test with"
        (send,) = self.commands(section)
        name = self.receive(send, self.block(section, "yaml"), "lwa-*.h5")
        tone = 100e3
        centres = [self.hertz(each) for each in send[send.index("--frequencies") + 1].split(",")]
        peak = float(re.search(r"peak +([0-9.]+) MHz", self.ask(["takt", "view", name])).group(1)) * 1e6
        self.assertLess(min(abs(peak - centre - tone) for centre in centres), 4e3)
        rows = [line.split(",") for line in self.ask(["takt", "view", name, "--format", "csv"]).splitlines()[1:]]
        for centre in centres:
            band = [(float(value), float(at)) for at, value in rows if abs(float(at) - centre) <= 0.5e6]
            # Columns of four channels of 1 MHz / 1024.
            self.assertEqual(len(band), 256)
            self.assertAlmostEqual(max(band)[1], centre + tone, delta=4e3)

    @staticmethod
    def hertz(text):
        return float(text.removesuffix("MHz")) * 1e6


if __name__ == "__main__":
    main()
