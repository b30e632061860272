"""Checks that includes follow the directions of docs/explanation/architecture.md.

    includes.py ROOT        checks a tree
    includes.py --self-test makes small trees with one error each, which must be found

A unit is a header with its source; a room is a directory. No units and no rooms include each other in a cycle, and the
top directories include each other only along the arrows below. Prints errors with file and line, and then exits with 1.
"""

import pathlib
import re
import sys
import tempfile

# Directories that each top directory may include besides itself, directly or through others.
ARROWS = {
    "core": [],
    "logp": ["core"],
    "schedulers": ["logp"],
    "sensors": ["core"],
    "pipeline": ["schedulers", "sensors"],
    "cli": ["pipeline"],
}
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')


def allowed(folder):
    """Returns the top directories that one may include."""
    found = {folder}
    for below in ARROWS[folder]:
        found |= allowed(below)
    return found


def unit_of(path):
    return str(pathlib.PurePosixPath(path).with_suffix(""))


def room_of(unit):
    return str(pathlib.PurePosixPath(unit).parent)


def circles(graph):
    """Returns the strongly connected components of more than one node (Tarjan, without recursion)."""
    index, low, stack, found = {}, {}, [], []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for successor in rest:
                if successor not in graph:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    work.append((successor, iter(sorted(graph[successor]))))
                    break
                if successor in stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    if len(part) > 1:
                        found.append(sorted(part))
    return found


def judge(root):
    """Returns the errors of a tree, one per line, and the number of checked includes."""
    wrong, units, why = [], {}, {}
    seen = 0
    for folder in ARROWS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in (".hpp", ".cpp", ".h"):
                continue
            path = file.relative_to(root).as_posix()
            unit = unit_of(path)
            units.setdefault(unit, set())
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                seen += 1
                target, place = match[1], f"{path}:{number}"
                if not (root / target).is_file():
                    wrong.append(f'{place}: "{target}" is no file, seen from the root')
                    continue
                if target.split("/")[0] not in allowed(folder):
                    wrong.append(f'{place}: {folder} may not include "{target}"')
                if unit_of(target) != unit:
                    units[unit].add(unit_of(target))
                    why.setdefault((unit, unit_of(target)), place)
                    why.setdefault((room_of(unit), room_of(unit_of(target))), place)
    rooms = {}
    for unit, targets in units.items():
        rooms.setdefault(room_of(unit), set())
        rooms[room_of(unit)] |= {room_of(target) for target in targets} - {room_of(unit)}
    for kind, graph in (("units", units), ("rooms", rooms)):
        for part in circles(graph):
            arrows = [f"    {why[a, b]}: {a} -> {b}" for a in part for b in part if (a, b) in why and a != b]
            wrong.append("\n".join([f"{kind} include each other in a circle:", *arrows]))
    return wrong, seen


def self_test():
    """Checks trees with one error each and their expected messages, and a tree without errors."""
    good = {
        "core/a.hpp": "",
        "core/a.cpp": '#include "core/a.hpp"\n#include <vector>\n',
        "logp/b.hpp": '#include "core/a.hpp"\n',
        "schedulers/list/c.hpp": '#include "logp/b.hpp"\n',
        "cli/d.cpp": '#include "core/a.hpp"\n#include "schedulers/list/c.hpp"\n',
    }
    cases = {
        "nothing": ({}, None),
        "a circle of two units": (
            {"core/a.hpp": '#include "core/e.hpp"\n', "core/e.cpp": '#include "core/a.hpp"\n', "core/e.hpp": ""},
            "units include each other",
        ),
        "a circle of three units": (
            {
                "core/a.hpp": '#include "core/e.hpp"\n',
                "core/e.hpp": '#include "core/f.hpp"\n',
                "core/f.hpp": '#  include "core/a.hpp"\n',
            },
            "units include each other",
        ),
        "a circle of rooms only": (
            {
                "schedulers/list/c.hpp": '#include "schedulers/judge/e.hpp"\n',
                "schedulers/judge/e.hpp": "",
                "schedulers/judge/f.cpp": '#include "schedulers/list/g.hpp"\n',
                "schedulers/list/g.hpp": "",
            },
            "rooms include each other",
        ),
        "an arrow upwards": (
            {"logp/b.cpp": '#include "schedulers/list/c.hpp"\n', "schedulers/list/c.hpp": ""},
            "logp may not include",
        ),
        "an arrow sideways": (
            {"sensors/e.cpp": '#include "logp/b.hpp"\n'},
            "sensors may not include",
        ),
        "a way round the root": ({"core/e.cpp": '#include "a.hpp"\n'}, "is no file"),
    }
    failed = 0
    for name, (files, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {**good, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            wrong, _ = judge(root)
            as_expected = not wrong if expected is None else len(wrong) == 1 and expected in wrong[0]
            if not as_expected:
                failed += 1
                print(f"{name}: expected {expected}, found", *(wrong or ["nothing"]), sep="\n  ")
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong, seen = judge(pathlib.Path(sys.argv[1]))
    if seen == 0:
        wrong.append(f"there is nothing to judge in {sys.argv[1]}")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
