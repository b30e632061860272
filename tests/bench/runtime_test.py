#!/usr/bin/env python3
"""Checks the verdicts of bench/runtime.py: rows, summary, the result for programs, and the table of README.md."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bench"))
import runtime  # noqa: E402
import runtime_verdict  # noqa: E402


def row(size, work, middle, **peers):
    return runtime_verdict.judged({"frame_bytes": size, "work": work, "middle": middle, "peers": peers})


class Verdicts(unittest.TestCase):
    def test_within_a_twentieth_is_level(self):
        self.assertEqual([runtime_verdict.verdict_of(each) for each in (1.06, 1.05, 1.0, 0.95, 0.94)],
                         ["ahead", "level", "level", "level", "behind"])

    def test_the_best_peer_judges_and_limits_are_no_peers(self):
        judged = row(64, "none", "stateless", tbb=1.4, fastflow=0.8, replicas=0.5, mpi=1.0)
        self.assertEqual((judged["best_peer"], judged["ratio"], judged["verdict"]), ("fastflow", 0.8, "behind"))
        self.assertEqual(row(64, "none", "stateless", tbb=None, ring=1.2)["verdict"], "ahead")
        self.assertEqual(row(64, "none", "stateless", tbb=None)["verdict"], "disturbed")
        self.assertEqual(row(64, "none", "stateless")["ratio"], None)

    def test_a_row_has_medians_and_spreads(self):
        made = runtime.row_of(4096, "1000", "stateful", [100, 300, 200], {"tbb": [0.9, 1.1, 1.0], "streampu": []})
        self.assertEqual(made["peers"], {"tbb": 1.0, "streampu": None})
        self.assertEqual(made["spreads"], {"tbb": [0.9, 1.1]})
        self.assertEqual((made["takt_hz"], made["rounds"], made["verdict"], made["work"]), (200, 3, "level", "1 ms"))
        self.assertEqual(runtime.cells_of(made, ["tbb", "streampu"]),
                         ["4 KiB", "1 ms", "stateful", "200 Hz", "1.00", "hung", "level", "3"])
        disturbed = runtime.row_of(64, "hand", "stateless", [], {"tbb": []})
        self.assertEqual(runtime.cells_of(disturbed, ["tbb"]), ["64 B", "none", "stateless", "disturbed", "", "disturbed", "0"])

    def test_the_summary_counts_verdicts_and_names_the_worst_row(self):
        rows = [row(64, "none", "stateless", tbb=2.0), row(1 << 20, "10 us", "stateful", tbb=0.64, ring=1.8),
                row(100, "touch", "stateless", taskflow=1.0), row(64, "touch", "stateful")]
        found = runtime_verdict.summary(rows)
        self.assertEqual([found[name] for name in ("ahead", "level", "behind", "disturbed", "rows")], [1, 1, 1, 1, 4])
        self.assertEqual(found["text"], "ahead 1, level 1, behind 1 of 4 rows, disturbed 1; least ratio 0.64, to oneTBB (1 MiB, 10 us, stateful)")
        self.assertIn("level 0", runtime_verdict.summary([])["text"])

    def test_the_table_has_each_row_once(self):
        rows = [row(64, "none", "stateless", tbb=2.0), row(4096, "none", "stateless", mpi=0.5), row(64, "1 ms", "stateless", ring=1.0),
                row(64, "10 us", "stateless", ring=1.0), row(64, "touch", "stateful")]
        self.assertEqual(runtime_verdict.table(rows).splitlines()[2:], [
            "| none | stateless | 64 B: 2.00 (oneTBB) |  | 4 KiB: 0.50 (bare MPI) |",
            "| 10 us | stateless |  | 64 B: 1.00 (ring) |  |",
            "| 1 ms | stateless |  | 64 B: 1.00 (ring) |  |",
            "| touch | stateful |  |  |  |"])


class FakeBench:
    """takt at 100 frames/s on two ranks and 50 on one, and a peer that is half as fast, or hangs."""
    names = ["tbb", "streampu"]

    def __init__(self, *_):
        self.after = 100

    def plan(self, size, work, state, ranks):
        return ranks, None

    def run(self, ranks, _):
        return 50 if ranks == 1 else 100

    def pipelined(self, ranks):
        return 50 * ranks

    def peer(self, name, size, work, state):
        return 50 if name == "tbb" else float("nan")


class Results(unittest.TestCase):
    def test_programs_get_machine_settings_rows_and_summary(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(runtime, "Bench", FakeBench):
            file = os.path.join(folder, "result.json")
            words = ["runtime.py", "--frames", "64,4096", "--work", "hand", "--middle", "stateful", "--rounds", "2", "--progress", "none",
                     "--json", file]
            with mock.patch.object(sys, "argv", words), contextlib.redirect_stdout(io.StringIO()) as out:
                runtime.main()
            with open(file) as text:
                result = json.load(text)
        self.assertEqual([each["frame_bytes"] for each in result["rows"]], [64, 4096])
        self.assertEqual(result["rows"][0]["peers"], {"tbb": 2.0, "streampu": None, "one rank": 2.0})
        self.assertEqual((result["rows"][0]["verdict"], result["summary"]["ahead"]), ("ahead", 2))
        self.assertEqual(result["settings"], {"rounds": 2, "seconds": 1, "transport": "auto"})
        self.assertGreater(result["machine"]["cores"], 0)
        self.assertEqual(out.getvalue().splitlines()[-1], result["summary"]["text"])
        self.assertIn("hung", out.getvalue())


class Documents(unittest.TestCase):
    def test_tables_are_read_by_section(self):
        page = """## Stateless stages
| frame | a stage | takt | oneTBB | replicas | one rank |
|---|---|---|---|---|---|
| 64 B | none | 14.7 MHz | 1.99 | 0.48 | 1.84 |
| 1 MiB | 1 ms | 661 Hz | hung | 1.00 | 1.98 |
## Stateful middle stage
| frame | a stage | takt | FastFlow |
|---|---|---|---|
| 4 KiB | touch | 3 MHz | 0.90 |
## Forced transfers
| frame, stage | ring | tcp |
| 64 KiB, touch | 2.5 | |
"""
        rows = runtime_verdict.rows_of_page(page)
        self.assertEqual([(each["frame_bytes"], each["work"], each["middle"], each["best_peer"], each["verdict"]) for each in rows],
                         [(64, "none", "stateless", "oneTBB", "ahead"), (1 << 20, "1 ms", "stateless", None, "disturbed"),
                          (4096, "touch", "stateful", "FastFlow", "behind")])

    def test_readme_has_the_verdicts_of_the_page(self):
        with open(os.path.join(ROOT, "docs", "explanation", "speed.md")) as file:
            rows = runtime_verdict.rows_of_page(file.read())
        self.assertGreater(len(rows), 20)
        with open(os.path.join(ROOT, "README.md")) as file:
            readme = file.read()
        self.assertIn(runtime_verdict.table(rows), readme, "print it with bench/runtime_verdict.py docs/explanation/speed.md --table")
        self.assertIn(runtime_verdict.summary(rows)["text"].split(";")[0], readme)


if __name__ == "__main__":
    unittest.main()
