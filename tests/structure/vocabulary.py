"""Checks that code, tests and documents use the terms of the field.

    vocabulary.py ROOT        checks a tree
    vocabulary.py --self-test checks that each retired word is found in a text that has it

Each retired word has a replacement. Identifiers count as text: `run_board` is "run board". Prints file, line, word and
term of each finding, and then exits with 1.
"""

import pathlib
import re
import sys

# Retired words, as regular expressions on lower-case text with '_' as a space, and the terms to use.
TERMS = [
    (r"rehears\w*", "trial run, to trial"),
    (r"dear(er|est)?", "expensive"),
    (r"seldom", "infrequent, rarely"),
    (r"departures?( news)?", "deviation (from the plan), deviation report"),
    (r"call cycles?", "hyperperiod"),
    (r"run cages?", "cgroup"),
    (r"frame claims?", "self-scheduling of frames"),
    (r"run boards?", "run registry"),
    (r"change (desk|book)s?", "parameter updates, update queue"),
    (r"downsets?", "lower set"),
    (r"restless", "noisy"),
    (r"cellars?", "directory, module"),
    (r"source news", "messages between sources"),
    (r"skimmed rounds?", "sampled timing"),
    (r"whoever", "the sender, the receiver, the user"),
    (r"for want of", "without, because there is no"),
    (r"nobody", "no rank, no process, none"),
    (r"beside", "next to, together with, compared with"),
    (r"hand over states?", "core-to-core latency"),
    (r"(boundary|reading|writing) prices?", "cross-core transfer cost"),
    (r"crowd(s|ed)?", "oversubscribed, many"),
    (r"collecting", "reordering, reorder buffer"),
    (r"skim(s|med|ming)?", "sampled timing, untimed"),
    (r"begin rounds?", "begin an iteration"),
    (r"(keep|keeps) house", "reaper"),
    (r"keepers?", "reaper"),
    (r"last words", "crash report, last message"),
    (r"wish(es)?", "control command, request"),
    (r"doubt(s|ed|ful)?( links?)?", "link uncertainty, uncertain"),
    (r"quicker", "faster, optimistic"),
    (r"told (apart|drops|waits|rate|bytes|end|ns|failure|clock)", "reported, declared"),
    (r"figures (are )?told", "reported figures"),
    (r"(source )?news tags?", "messages between sources"),
    (r"on news", "on update"),
    (r"promised (rows|samples|by)", "declared"),
    (r"frames a second", "frames/s, throughput"),
    (r"samples a second", "samples/s"),
    (r"reckon(s|ed|ing)?", "compute, predict, estimate"),
    (r"rare calls?", "infrequent calls"),
    (r"tried on (made up|the) frames", "trial run, to trial"),
    (r"off the trials", "relative error"),
    (r"could have sustained", "estimated highest rate"),
    (r"cannot be, expected", "is not valid: expected"),
    (r"is no number", "expected a number"),
    (r"nothing has come", "nothing received"),
    (r"none of them keeps another", "none slows another"),
    (r"which would be lost", "rename it or use --overwrite"),
    (r"(turned|turns) out otherwise", "deviates from the plan"),
    (r"what comes next", "the next"),
    (r"not wanted otherwise", "unused"),
    (r"waits for room at", "back-pressure from"),
    (r"(begin|goes on|go on|comes) behind", "resume after, continue after"),
    (r"(packets|heaps|ticks|numbers|values) a (second|packet|sample)", "per"),
]
FOLDERS = ["core", "logp", "schedulers", "sensors", "pipeline", "cli", "tests", "bench", "configs", "docs", "README.md"]
ENDINGS = {".cpp", ".hpp", ".h", ".py", ".ts", ".css", ".md", ".yaml", ".cmake", ".txt", ".sh"}
# Files that list the words themselves.
EXEMPT = {"tests/structure/vocabulary.py"}
PATTERNS = [(re.compile(rf"(?<![a-z0-9]){word}(?![a-z0-9])"), term) for word, term in TERMS]
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Most lines have none of the words.
ANY = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(word for word, _ in TERMS)})(?![a-z0-9])")


def words_of(line):
    """Returns the line as words, with CamelCase and snake_case separated."""
    return CAMEL.sub(" ", line).replace("_", " ").lower()


def judge_line(line):
    text = words_of(line)
    if not ANY.search(text):
        return []
    return [(found[0], term) for pattern, term in PATTERNS if (found := pattern.search(text))]


def files_of(root):
    for folder in FOLDERS:
        path = root / folder
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            place = file.relative_to(root).as_posix()
            if file.suffix in ENDINGS and file.is_file() and place not in EXEMPT and "node_modules" not in place:
                yield place, file


def judge(root):
    wrong, seen = [], 0
    for place, file in files_of(root):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            seen += 1
            wrong += [f"{place}:{number}: '{word}': use '{term}'" for word, term in judge_line(line)]
    if not seen:
        wrong.append(f"there is nothing to judge in {root}")
    return wrong


def self_test():
    found = ["nobody reads", "begin_round()", "frames a second", "a rehearsal", "whoever sends", "dear frames", "RunBoard board;", "the run_cage", "CallCycle cycle;", "skimmed rounds"]
    clean = ["idea", "linear", "a trial run", "the run registry", "disclaims", "departments"]
    failed = [line for line in found if not judge_line(line)] + [line for line in clean if judge_line(line)]
    print(*failed, sep="\n")
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    wrong = judge(pathlib.Path(sys.argv[1]))
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
