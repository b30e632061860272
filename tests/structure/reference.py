"""Checks that the parameter tables of the reference pages are those of the program.

    reference.py TAKT ROOT           compares docs/reference with `takt list CATEGORY NAME --format markdown`
    reference.py TAKT ROOT --write   rewrites the rows that differ

A page has whole tables between `<!-- takt list CATEGORY --format markdown -->` and `<!-- end -->`. Elsewhere, the row of
a parameter is in the section of its kernel, source or sink (`## name`, `### name`, or `### name sink`).
Sections may omit rows that a related section has; tests/pipeline/config/reference_test.cpp checks which rows are
required. Prints differences, and then exits with 1.
"""

import pathlib
import re
import subprocess
import sys

PAGES = [
    ("kernels", "docs/reference/kernels.md"),
    ("sources", "docs/reference/pipeline-yaml.md"),
    ("sinks", "docs/reference/pipeline-yaml.md"),
]
# Sections of parameters that several sources or sinks share, and one of these.
SHARED = {"Recordings": "dada_file", "Described frames": "udp", "Files": "sigproc", "Captures": "lofar_pcap"}
# Pages with tables between markers.
MARKED = ["docs/reference/cli.md"]
BLOCK = re.compile(r"(<!-- takt (list [^\n]*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$")
ROW = re.compile(r"^\| `([^`]+)`")


def rows_of(takt, category):
    """Returns {name: {parameter: row}} of all entries of a category."""
    text = subprocess.run([takt, "list", category, "--format", "markdown"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        if heading := HEADING.match(line):
            found[heading[1]] = current = {}
        elif row := ROW.match(line):
            current[row[1]] = line
    return found


def update(text, rows):
    """Returns the page with the program's rows, the differences, and the number of compared rows."""
    lines, section, wrong, seen = text.splitlines(), None, [], 0
    for i, line in enumerate(lines):
        if heading := HEADING.match(line):
            section = rows.get(SHARED.get(heading[1], heading[1]))
        elif section and (row := ROW.match(line)) and row[1] in section:
            seen += 1
            if line != section[row[1]]:
                wrong.append((i + 1, line, section[row[1]]))
                lines[i] = section[row[1]]
    return "\n".join(lines) + "\n", wrong, seen


def refresh(takt, text):
    """Returns the page with the program's tables between markers, and the number of these tables."""
    def table(block):
        program = subprocess.run([takt, *block[2].split()], capture_output=True, text=True, check=True).stdout
        return block[1] + program + block[4]

    return BLOCK.subn(table, text)


def main():
    if len(sys.argv) < 3 or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    takt, root, writes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["--write"]
    failed = False
    sources = rows_of(takt, "sources")
    for category, name in PAGES:
        page, rows = root / name, rows_of(takt, category)
        if category == "sinks":
            # If a source has the same name, the section of the sink is `name sink`.
            rows = {f"{kind} sink" if kind in sources else kind: each for kind, each in rows.items()}
        text = page.read_text(encoding="utf-8")
        new, wrong, seen = update(text, rows)
        for line, old, now in wrong:
            print(f"{name}:{line}:\n    {old}\n  program:\n    {now}")
        if not seen:
            print(f"{name}: no row of {category}")
        failed = failed or bool(wrong) or not seen
        if writes and new != text:
            page.write_text(new, encoding="utf-8")
    for name in MARKED:
        page = root / name
        text = page.read_text(encoding="utf-8")
        new, seen = refresh(takt, text)
        if not seen:
            print(f"{name}: no table between markers")
        elif new != text:
            print(f"{name}: a table differs from that of the program")
        failed = failed or not seen or new != text
        if writes and new != text:
            page.write_text(new, encoding="utf-8")
    return 1 if failed and not writes else 0


if __name__ == "__main__":
    sys.exit(main())
