"""Are the parameter tables of the reference pages those of the program?

    reference.py TAKT ROOT           compares docs/reference with `takt list CATEGORY NAME --format markdown`
    reference.py TAKT ROOT --write   rewrites the rows that differ

A row for a parameter stands in the section of its kernel, source or sink (`## name`, `### name`, or `### name sink`).
Sections may leave out rows that stand under a related one; which ones must be there is for
tests/pipeline/config/reference_test.cpp. Prints what differs; exit code 1 then.
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
HEADING = re.compile(r"^#+ (.+)$")
ROW = re.compile(r"^\| `([^`]+)`")


def rows_of(takt, category):
    """{name: {parameter: row}} of all entries of a category."""
    text = subprocess.run([takt, "list", category, "--format", "markdown"], capture_output=True, text=True, check=True).stdout
    found = {}
    for line in text.splitlines():
        if heading := HEADING.match(line):
            found[heading[1]] = current = {}
        elif row := ROW.match(line):
            current[row[1]] = line
    return found


def update(text, rows):
    """The page with the program's rows, what differed, and how many rows were compared."""
    lines, section, wrong, seen = text.splitlines(), None, [], 0
    for i, line in enumerate(lines):
        if heading := HEADING.match(line):
            section = rows.get(heading[1])
        elif section and (row := ROW.match(line)) and row[1] in section:
            seen += 1
            if line != section[row[1]]:
                wrong.append((i + 1, line, section[row[1]]))
                lines[i] = section[row[1]]
    return "\n".join(lines) + "\n", wrong, seen


def main():
    if len(sys.argv) < 3 or sys.argv[3:] not in ([], ["--write"]):
        sys.exit(__doc__)
    takt, root, writes = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:] == ["--write"]
    failed = False
    sources = rows_of(takt, "sources")
    for category, name in PAGES:
        page, rows = root / name, rows_of(takt, category)
        if category == "sinks":
            # The section of a name that a source has, too, is `name sink`.
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
    return 1 if failed and not writes else 0


if __name__ == "__main__":
    sys.exit(main())
