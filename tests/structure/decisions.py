"""Checks that the decision records are few, short and indexed, and that all links to them are valid.

    decisions.py ROOT        checks a tree
    decisions.py --self-test makes small trees with one error each, which must be found

Prints each error with its file; exits with 1 if there is one.
"""

import pathlib
import re
import sys
import tempfile

MOST_RECORDS = 50
MOST_WORDS = 200
RECORD = re.compile(r"\d{4}-[a-z0-9-]+\.md")
LINK = re.compile(r"decisions/(\d{4}-[a-z0-9-]+\.md)")
SIBLING = re.compile(r"\]\((\d{4}-[a-z0-9-]+\.md)\)")
TEXTS = {".md", ".hpp", ".cpp", ".py", ".ts", ".txt", ".cmake", ".yaml"}


def faults(root):
    folder = root / "docs" / "decisions"
    records = sorted(each.name for each in folder.glob("*.md") if RECORD.fullmatch(each.name))
    found = []
    if len(records) > MOST_RECORDS:
        found.append(f"docs/decisions: {len(records)} records, expected at most {MOST_RECORDS}")
    if len({name[:4] for name in records}) < len(records):
        found.append("docs/decisions: two records have one number")
    index = (folder / "README.md").read_text()
    for name in records:
        text = (folder / name).read_text()
        words = len(text.split())
        if words > MOST_WORDS:
            found.append(f"docs/decisions/{name}: {words} words, expected at most {MOST_WORDS}")
        if not re.search(r"^Status: \S", text, re.M):
            found.append(f"docs/decisions/{name}: no line 'Status: ...'")
        if index.count(f"({name})") != 1:
            found.append(f"docs/decisions/README.md: {name} is not listed once")
        for other in SIBLING.findall(text):
            if other not in records:
                found.append(f"docs/decisions/{name}: no record {other}")
    for other in SIBLING.findall(index):
        if other not in records:
            found.append(f"docs/decisions/README.md: no record {other}")
    for path in sorted(root.rglob("*")):
        parts = path.relative_to(root).parts
        if path.suffix not in TEXTS or parts[0] in ("build", ".git") or "node_modules" in parts or not path.is_file():
            continue
        for name in LINK.findall(path.read_text(errors="replace")):
            if name not in records:
                found.append(f"{path.relative_to(root)}: no record {name}")
    return found


def self_test():
    good = {"0001-a.md": "# 0001 A\n\nStatus: in force.\n", "README.md": "* [0001](0001-a.md)\n"}
    mistakes = {
        "none": ({}, 0),
        "long": ({"0001-a.md": good["0001-a.md"] + "word " * MOST_WORDS}, 1),
        "without a status": ({"0001-a.md": "# 0001 A\n"}, 1),
        "not in the index": ({"README.md": ""}, 1),
        "a dead link": ({"0001-a.md": good["0001-a.md"] + "[b](0002-b.md)"}, 1),
        "a dead link elsewhere": ({"../x.md": "docs/decisions/" + "0009-z.md"}, 1),
        "one number twice": ({"0001-b.md": good["0001-a.md"], "README.md": good["README.md"] + "[b](0001-b.md)"}, 1),
    }
    for name, (changes, expected) in mistakes.items():
        with tempfile.TemporaryDirectory() as root:
            folder = pathlib.Path(root) / "docs" / "decisions"
            folder.mkdir(parents=True)
            for file, text in {**good, **changes}.items():
                (folder / file).write_text(text)
            found = faults(pathlib.Path(root))
            if len(found) != expected:
                print(f"a tree with the mistake '{name}': expected {expected} faults, found {found}")
                return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = faults(pathlib.Path(sys.argv[1]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
