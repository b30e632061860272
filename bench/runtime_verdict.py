#!/usr/bin/env python3
"""Is takt ahead of, level with, or behind the best of its peers, in each row of bench/runtime.py?

Reads a result of `bench/runtime.py --json FILE`, or the tables of docs/explanation/speed.md, and prints the table of README.md
(`--table`) or a summary of one line. A row is judged by its best peer: the one to which takt's throughput has the smallest ratio.
`replicas` is the limit of two cores and no peer, and `one rank` is takt itself.

    bench/runtime_verdict.py FILE [--table]
"""
import argparse
import json
import re

# Ratios that differ from 1 by at most this share count as equal: the accuracy of the bench.
LEVEL = 0.05
VERDICTS = ("ahead", "level", "behind")
NO_PEERS = ("replicas", "one rank")
# Names of the peers in documents.
TITLES = {"inline": "one thread", "tbb": "oneTBB", "taskflow": "Taskflow", "fastflow": "FastFlow", "streampu": "StreamPU", "mpi": "bare MPI"}
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
WORKS = ["none", "touch"]


def verdict_of(ratio):
    """Returns `ahead`, `level` or `behind` of a ratio of takt's throughput to that of a peer."""
    if ratio > 1 + LEVEL:
        return "ahead"
    return "behind" if ratio < 1 - LEVEL else "level"


def judged(row):
    """Returns the row with `best_peer`, `ratio` and `verdict`. `peers` maps names to ratios, or to None if a peer hung. A row without
    ratios is `disturbed`."""
    ratios = {name: ratio for name, ratio in row["peers"].items() if ratio is not None and name not in NO_PEERS}
    if not ratios:
        return {**row, "best_peer": None, "ratio": None, "verdict": "disturbed"}
    best = min(ratios, key=lambda name: ratios[name])
    return {**row, "best_peer": best, "ratio": ratios[best], "verdict": verdict_of(ratios[best])}


def size_text(size):
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor and size % factor == 0:
            return f"{size // factor} {unit}"
    return f"{size} B"


def title_of(peer):
    return TITLES.get(peer, peer)


def row_text(row):
    return f"{size_text(row['frame_bytes'])}, {row['work']}, {row['middle']}"


def summary(rows):
    """Returns the numbers of rows by verdict, the row with the smallest ratio, and a line of text."""
    count = {name: sum(row["verdict"] == name for row in rows) for name in (*VERDICTS, "disturbed")}
    measured = [row for row in rows if row["ratio"] is not None]
    worst = min(measured, key=lambda row: row["ratio"]) if measured else None
    text = ", ".join(f"{name} {count[name]}" for name in VERDICTS) + f" of {len(rows)} rows"
    if count["disturbed"]:
        text += f", disturbed {count['disturbed']}"
    if worst:
        text += f"; least ratio {worst['ratio']:.2f}, to {title_of(worst['best_peer'])} ({row_text(worst)})"
    return {**count, "rows": len(rows), "worst": worst and row_text(worst), "text": text}


def rows_of_page(text):
    """Returns the judged rows of the tables of docs/explanation/speed.md, whose sections name the middle stage."""
    rows, middle, names = [], None, None
    for line in text.splitlines():
        if heading := re.match(r"## (Stateless|Stateful) ", line):
            middle, names = heading[1].lower(), None
        elif line.startswith("## "):
            middle = None
        elif middle and line.startswith("| "):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] == "frame":
                names = cells[3:]
                continue
            number, unit = cells[0].split()
            peers = {name: float(cell) for name, cell in zip(names, cells[3:], strict=True) if cell not in ("hung", "")}
            rows.append(judged({"frame_bytes": int(number) * UNITS[unit], "work": cells[1], "middle": middle, "peers": peers}))
    return rows


def work_order(work):
    if work in WORKS:
        return (0, WORKS.index(work))
    number, unit = work.split()
    return (1, float(number) * {"us": 1, "ms": 1000}[unit])


def table(rows):
    """Returns the table of README.md: by middle stage and work, the frame sizes at which takt is ahead, level and behind, with the ratio
    to the best peer."""
    lines = ["| a stage | middle stage | ahead of the best peer | level with it | behind it |", "|---|---|---|---|---|"]
    kinds = sorted({(row["middle"] == "stateful", work_order(row["work"]), row["work"], row["middle"]) for row in rows})
    for _, _, work, middle in kinds:
        cells = {name: [] for name in VERDICTS}
        for row in sorted((row for row in rows if (row["work"], row["middle"]) == (work, middle)), key=lambda row: row["frame_bytes"]):
            if row["ratio"] is not None:
                cells[row["verdict"]].append(f"{size_text(row['frame_bytes'])}: {row['ratio']:.2f} ({title_of(row['best_peer'])})")
        lines.append(f"| {work} | {middle} | " + " | ".join(", ".join(cells[name]) for name in VERDICTS) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a .json of bench/runtime.py, or docs/explanation/speed.md")
    parser.add_argument("--table", action="store_true", help="print the table of README.md")
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        text = file.read()
    rows = json.loads(text)["rows"] if arguments.file.endswith(".json") else rows_of_page(text)
    print(table(rows) if arguments.table else summary(rows)["text"], end="" if arguments.table else "\n")


if __name__ == "__main__":
    main()
