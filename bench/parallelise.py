#!/usr/bin/env python3
"""Do generated MPI programs take the predicted time, and how do they compare with tasks of OpenMP and StarPU?

For each program of docs/examples/parallelise, takt measures the calls and messages, plans by one scheduler, and runs the
program on one rank and on several (`takt compare --execute`). Programs without updates in place also run as OpenMP tasks
with `depend` on the same dependences, and as StarPU tasks (Debian: libstarpu-dev; left out where it is not installed) with
tags for them, with as many threads, in between. The first column is the executed makespan over
the predicted one; the last line is the median of its distance from 1. Makespans are the shortest of the runs; means are
in the JSON. Needs as many idle cores as ranks, clang, gcc and Open MPI.

    bench/parallelise.py [--takt build/release/cli/takt] [--ranks 2] [--runs 10] [--scheduler heft] [--programs fft,lu] [--json FILE]
"""

import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile

import disturbance
from progress import Progress, add_option

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "docs/examples/parallelise"
# Sizes of some milliseconds and more.
PROGRAMS = {
    "figure2": "PN=8,SN=32768",
    "fft": "PN=8,SN=8192",
    "gauss": "PN=8,SN=48",
    "laplace_jacobi": "PN=4,SN=512",
    "laplace_gauss_seidel": "PN=4,SN=128",
    "nbody": "PN=8,SN=128",
    "cholesky": "NT=8,NB=64",
    "lu": "NT=8,NB=64",
    "stencil": "PN=8,SN=65536",
    "smith_waterman": "PN=8,SN=256",
    "sort": "PN=8,SN=16384",
}
# These update sections in place: a task graph of data alone does not order the readers of the earlier version.
UPDATES_IN_PLACE = {"laplace_gauss_seidel", "cholesky", "lu", "sort"}


def run(words, **options):
    """Returns the output of a command."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(str(word) for word in words)}: {done.stderr}")
    return done.stdout


def experiment(arguments, name):
    """Returns the experiment of one program, as takt's JSON has it."""
    words = [arguments.takt, "compare", f"{EXAMPLES / name}.c:{PROGRAMS[name]}", "--execute", "--ranks", arguments.ranks]
    words += ["--runs", arguments.runs, "--schedulers", arguments.scheduler, "--format", "json", "--progress", "none"]
    return json.loads(run(words + ["--fresh"]))["experiments"][0]


def parents(arguments, program, folder):
    """Returns the tasks that each task of a program reads from, by name."""
    file = folder / "graph.json"
    run([arguments.takt, "graph", program, "-o", file])
    workflow = json.loads(file.read_text())["workflow"]
    tasks = workflow.get("specification", workflow)["tasks"]
    return {task["name"]: list(task.get("parents", [])) for task in tasks}, {task.get("id", task["name"]): task["name"] for task in tasks}


def with_calls(text, count, translate):
    """Returns the program of one rank with `translate(call, name)` for each call, in three parts: before, within and behind
    the function of the rank."""
    head, body, rest = re.split(r"(static void rank_0\(void\) \{\n.*?\n\}\n)", text, maxsplit=1, flags=re.DOTALL)
    body, found = re.subn(r"  TIMED\(computing, (.*)\); /\* (\S+) \*/", lambda match: translate(*match.groups()), body)
    if found != count:
        raise SystemExit(f"expected {count} calls in the program of one rank, found {found}")
    return head, body, rest


def with_openmp(text, read_from, names):
    """Returns the program of one rank with its calls as OpenMP tasks."""
    number = {name: index for index, name in enumerate(read_from)}

    def task(call, name):
        depends = f"depend(out: done[{number[name]}])"
        reads = [f"done[{number[names.get(parent, parent)]}]" for parent in read_from[name]]
        if reads:
            depends += f" depend(in: {', '.join(reads)})"
        return f"#pragma omp task {depends}\n  {call};"

    head, body, rest = with_calls(text, len(number), task)
    body = body.replace("{\n", "{\n#pragma omp parallel\n#pragma omp single\n  {\n", 1)
    body = body[: body.rindex("}")] + "  }\n}\n"
    # The threads are there when the time begins.
    rest = rest.replace("  MPI_Barrier(MPI_COMM_WORLD);\n", "#pragma omp parallel\n  { MPI_Barrier(MPI_COMM_SELF); }\n", 1)
    return f"{head}static char done[{len(number)}];\n{body}{rest}"


STARPU = """#include <stdint.h>
#include <starpu.h>
static void call_number(int number);
static void run_task(void *buffers[], void *number) { (void)buffers; call_number((int)(intptr_t)number); }
static struct starpu_codelet codelet = {.cpu_funcs = {run_task}, .nbuffers = 0};
static void submit(int number, int count, starpu_tag_t *reads) {
  struct starpu_task *task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = (void *)(intptr_t)number;
  task->use_tag = 1;
  task->tag_id = number;
  if (count > 0) starpu_tag_declare_deps_array(number, count, reads);
  if (starpu_task_submit(task) != 0) abort();
}
"""


def with_starpu(text, read_from, names):
    """Returns the program of one rank with its calls as StarPU tasks."""
    number = {name: index for index, name in enumerate(read_from)}
    cases = []

    def task(call, name):
        cases.append(f"    case {number[name]}: {call}; break;\n")
        reads = [str(number[names.get(parent, parent)]) for parent in read_from[name]]
        return f"  submit({number[name]}, {len(reads)}, (starpu_tag_t[]){{{', '.join(reads) or '0'}}});"

    head, body, rest = with_calls(text, len(number), task)
    body = body[: body.rindex("}")] + "  starpu_task_wait_for_all();\n}\n"
    body += "static void call_number(int number) {\n  switch (number) {\n" + "".join(cases) + "  }\n}\n"
    # The workers are there when the time begins.
    rest = rest.replace("  MPI_Barrier(MPI_COMM_WORLD);\n", "  if (starpu_init(NULL) != 0) return 3;\n  MPI_Barrier(MPI_COMM_SELF);\n", 1)
    rest = rest.replace("  MPI_Finalize();\n  return 0;", "  starpu_shutdown();\n  MPI_Finalize();\n  return 0;")
    return f"{head}{STARPU}{body}{rest}"


def starpu_options():
    """Returns the compiler's and the linker's options of StarPU; nothing where it is not installed."""
    try:
        return [subprocess.run(["pkg-config", option, "starpu-1.3"], capture_output=True, text=True, check=True).stdout.strip()
                for option in ("--cflags", "--libs")]
    except (OSError, subprocess.CalledProcessError):
        return None


def task_times(arguments, name, translate, flags, libraries, environment):
    """Returns the makespans of the program translated to tasks of a library, in ns."""
    program = f"{EXAMPLES / name}.c:{PROGRAMS[name]}"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run([arguments.takt, "parallelise", program, "-P", 1, "--scheduler", "heft", "--times", "-o", folder / "program"])
        source = folder / "program" / f"{name}.c"
        source.write_text(translate(source.read_text(), *parents(arguments, program, folder)))
        run(["make", "-C", folder / "program", f"CFLAGS=-O2 -w {flags} -ffp-contract=off -I.", f"LDLIBS=-lm {libraries}"])
        expected = None
        times = []
        for _ in range(arguments.runs):
            words = ["mpirun", "-n", 1, "--bind-to", "none"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
            done = subprocess.run([str(word) for word in words] + [folder / "program" / name], capture_output=True, text=True,
                                  env=os.environ | environment)
            if done.returncode != 0:
                raise SystemExit(f"{name} with {translate.__name__}: {done.stderr}")
            expected = expected or done.stdout
            if done.stdout != expected:
                raise SystemExit(f"{name} {translate.__name__} prints other results in different runs")
            times.append(1e9 * float(re.search(r"rank 0: ([0-9.]+) s", done.stderr).group(1)))
        return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--takt", default="build/release/cli/takt")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--scheduler", default="heft")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--json")
    disturbance.add_options(parser)
    add_option(parser)
    arguments = parser.parse_args()
    names = arguments.programs.split(",")
    for name in names:
        if name not in PROGRAMS:
            raise SystemExit(f"unknown program {name}: expected some of {', '.join(PROGRAMS)}")
    calm = disturbance.Calm(arguments.tries)
    peers = {"openmp": (with_openmp, "-fopenmp", "", {"OMP_NUM_THREADS": str(arguments.ranks)})}
    if options := starpu_options():
        environment = {"STARPU_NCPU": str(arguments.ranks), "STARPU_NCUDA": "0", "STARPU_NOPENCL": "0", "STARPU_SILENT": "1"}
        peers["starpu"] = (with_starpu, *options, environment)
    else:
        print("# without StarPU, which is not installed (Debian: apt install libstarpu-dev)")
    progress = Progress(len(names), arguments.progress)
    print(f"# {platform.node()}, {len(os.sched_getaffinity(0))} processors, {arguments.ranks} ranks by {arguments.scheduler}")
    print("# executed over predicted, on 1 rank, on several; predicted and executed speed-up; OpenMP and StarPU over MPI; disturbance (1: undisturbed)")
    rows, distances = [], []
    for name in names:
        found, disturbed = calm.run(lambda: experiment(arguments, name))
        planned = found["rows"][0]
        if "error" in planned:
            raise SystemExit(f"{name}: {planned['error']}")
        one, several = [min(row["runs"]) / row["predicted"] for row in (found["sequential"], planned)]
        distances += [abs(one - 1), abs(several - 1)]
        row = {
            "program": f"{name}.c:{PROGRAMS[name]}",
            "one_rank": one,
            "several_ranks": several,
            "predicted_speed_up": found["sequential"]["predicted"] / planned["predicted"],
            "executed_speed_up": min(found["sequential"]["runs"]) / min(planned["runs"]),
            "disturbance": disturbed.degree(),
            "experiment": found,
        }
        if name not in UPDATES_IN_PLACE:
            for peer, how in peers.items():
                row[peer], _ = calm.run(lambda: task_times(arguments, name, *how))
                row[f"{peer}_over_mpi"] = min(row[peer]) / min(planned["runs"])
        rows.append(row)
        progress.clear()
        ratios = " ".join(f"{row[key]:6.2f}" if key in row else f"{'-':>6}" for key in ("openmp_over_mpi", "starpu_over_mpi"))
        print(f"{name:22} {one:6.2f} {several:6.2f} {row['predicted_speed_up']:6.2f} {row['executed_speed_up']:6.2f} {ratios} "
              f"{row['disturbance']:6.1f}", flush=True)
        progress.step(name)
    median = statistics.median(distances)
    print(f"# the executed makespan is {100 * median:.1f} % from the predicted one (median of {len(distances)})")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps({"host": platform.node(), "median_distance": median, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
