"""Checks that an installation contains everything that its headers, help and man pages cite.

    installed.py BUILD TAKT   installs the build into a temporary folder and checks that
    installed.py --self-test  checks small installations with one error each, which must be found

Headers include and cite installed headers only. Documents that help, man pages or headers cite are installed, and
relative links of documents lead to installed files. Prints errors with file and line, and then exits with 1.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
HEADER = re.compile(r"\b((?:core|logp|schedulers|sensors|pipeline)/[\w/]+\.hpp)|(?<![\w/.<\"])([a-z]\w*\.hpp)")
DOCUMENT = re.compile(r"\bdocs/[\w./-]+\.md")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
# Parts of the source tree to which documents may link: code, tests and benches are not installed.
SOURCES = ("core/", "logp/", "schedulers/", "sensors/", "pipeline/", "cli/", "tests/", "bench/", ".ci", ".github")


def judge_headers(root):
    wrong = []
    for header in sorted(root.rglob("*.hpp")):
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            named = [include[1]] if include else [a or b for a, b in HEADER.findall(line)]
            for name in named:
                if not (root / name).is_file():
                    place = f"{header.relative_to(root)}:{number}"
                    wrong.append(f"{place}: {'includes' if include else 'cites'} {name}, which is not installed")
    return wrong


def judge_documents(root, texts):
    """Returns the errors of documents and of `texts`, which are help texts and the like by name."""
    wrong = []
    for name, text in texts.items():
        for document in DOCUMENT.findall(text):
            if not (root / document).is_file():
                wrong.append(f"{name}: cites {document}, which is not installed")
    for document in sorted(root.rglob("*.md")):
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
            for link in LINK.findall(line):
                if "://" in link or link.startswith("mailto:"):
                    continue
                target = (document.parent / link).resolve()
                inside = target.relative_to(root.resolve()).as_posix() if target.is_relative_to(root.resolve()) else link
                if not target.exists() and not (inside + "/").startswith(SOURCES):
                    wrong.append(f"{document.relative_to(root)}:{number}: links to {link}, which is not installed")
    return wrong


def judge(prefix, helps):
    headers = prefix / "include" / "takt"
    texts = dict(helps)
    for header in headers.rglob("*.hpp"):
        texts[header.relative_to(prefix).as_posix()] = header.read_text(encoding="utf-8")
    for page in prefix.glob("share/man/man1/*.1"):
        texts[page.name] = page.read_text(encoding="utf-8").replace("\\-", "-")
    return judge_headers(headers) + judge_documents(prefix / "share" / "doc" / "takt", texts)


def helps_of(takt):
    pages = {}
    overview = subprocess.run([takt, "help"], check=True, capture_output=True, text=True).stdout
    for name in re.findall(r"^  ([a-z]+) ", overview, re.M):
        pages[f"takt help {name}"] = subprocess.run([takt, "help", name], check=True, capture_output=True, text=True).stdout
    return pages


def self_test():
    good = {
        "include/takt/core/a.hpp": '#include "core/b.hpp"\n// See core/b.hpp and docs/x.md.\n',
        "include/takt/core/b.hpp": "#include <vector>\n",
        "share/doc/takt/README.md": "[x](docs/x.md#part) [code](core/a.hpp) [web](https://a.b/c)\n",
        "share/doc/takt/docs/x.md": "[up](../README.md)\n",
    }
    cases = {
        "nothing": ({}, {}, None),
        "a header that is left out": ({"include/takt/core/b.hpp": None}, {}, "includes core/b.hpp"),
        "a comment that points nowhere": ({"include/takt/core/b.hpp": "// clock.hpp\n"}, {}, "cites clock.hpp"),
        "a document that help cites": ({}, {"takt help run": "docs/how-to/restart.md says"}, "cites docs/how-to/restart.md"),
        "a document that a header cites": ({"share/doc/takt/docs/x.md": None}, {}, "cites docs/x.md"),
        "a broken link": ({"share/doc/takt/docs/x.md": "[y](y.md)\n"}, {}, "links to y.md"),
    }
    for name, (changes, helps, expected) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder)
            for path, text in {**good, **changes}.items():
                if text is None:
                    continue
                (prefix / path).parent.mkdir(parents=True, exist_ok=True)
                (prefix / path).write_text(text, encoding="utf-8")
            wrong = judge(prefix, helps)
        if expected is None and wrong or expected is not None and not any(expected in each for each in wrong):
            sys.exit(f"{name}: expected {expected!r}, got {wrong}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    build, takt = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["cmake", "--install", build, "--prefix", folder], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"cmake --install failed:\n{done.stderr}")
        prefix = pathlib.Path(folder)
        wrong = judge(prefix, helps_of(takt))
        headers = len(list((prefix / "include").rglob("*.hpp")))
    print(*wrong, sep="\n")
    print(f"{headers} headers, {len(wrong)} mistakes")
    if wrong or headers < 50:
        sys.exit(1)


main()
