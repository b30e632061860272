"""Compares kernels with formulas in numpy (docs/reference/kernels.md), which process whole streams without state.

    kernel_reference.py FOLDER

For each NAME.json in the folder: reads the inputs (NAME.in0, ...) and the output (NAME.out) of a kernel, computes the
expected output from the inputs, and compares values, missing values and times of frames. Prints differences, and then
exits with 1. A lost frame is all NaN in the inputs, so that formulas of the stream know it as missing, and has no
result.
"""

import json
import pathlib
import sys

import numpy as np
from formula_tools import START_NS
from kernel_formulas import REFERENCES

DTYPES = {"float32": np.float32, "complex_float32": np.complex64, "float64": np.float64, "uint8": np.uint8}


class Case:
    def __init__(self, folder, name):
        self.name = name
        self.json = json.loads((folder / f"{name}.json").read_text())
        self.kernel = self.json["kernel"]
        self.parameters = self.json.get("parameters", {})
        self.inputs = [self.load(folder / f"{name}.in{i}", kind) for i, kind in enumerate(self.json["inputs"])]
        self.kinds = self.json["inputs"]
        self.frames = self.json["frames"]
        self.out = self.load(folder / f"{name}.out", self.json["output"])

    def load(self, path, kind):
        shape = [axis["size"] for axis in kind["axes"]]
        dtype = np.dtype(DTYPES[kind["element"]])
        raw = np.fromfile(path, np.uint8)
        size = int(np.prod(shape)) * dtype.itemsize
        rows = raw.reshape(-1, size + kind["flags"])
        self.flags = rows[:, size:]
        return np.ascontiguousarray(rows[:, :size]).view(dtype).reshape([-1] + shape)

    def number(self, name, default):
        text = self.parameters.get(name, str(default)).split()
        return float(text[0]) * {"Hz": 1, "ms": 1e-3, "s": 1}.get(text[-1], 1)

    def list(self, name):
        return [text.strip() for text in self.parameters[name].strip("[]").split(",")]

    def axis(self, name, i=0):
        return [axis["name"] for axis in self.kinds[i]["axes"]].index(name)

    def coordinates(self, name):
        return np.array(self.kinds[0]["axes"][self.axis(name)]["coordinates"])

    @property
    def rate(self):
        time = self.kinds[0]["axes"][self.axis("time")]
        return self.kinds[0]["rate_hz"] * time["size"]

    def stream(self, i=0):
        """Returns the whole stream of an input, with time as the first axis."""
        x = np.moveaxis(self.inputs[i], self.axis("time", i) + 1, 1)
        return x.reshape((-1,) + x.shape[2:]).astype(np.complex128 if np.iscomplexobj(x) else np.float64)

    def in_frames(self, y):
        """Converts a stream, with time as the first axis, to frames with the original order of axes."""
        y = y.reshape((len(self.inputs[0]), -1) + y.shape[1:])
        return np.moveaxis(y, 1, self.axis("time") + 1)

    def lost(self):
        return [bool(np.all(np.isnan(frame))) for frame in self.inputs[0]]

    def of_stream(self, function):
        """Returns function(stream), converted to frames."""
        return self.in_frames(function(self.stream()))


#: Kernels that do not produce one frame per input frame.
GATHERING = {"correlate", "fold", "dedisperse"}


def judge(case):
    """Returns the errors of a case, one per line."""
    case.shift, case.tolerance = 0, 2e-4
    expected = REFERENCES[case.kernel](case)
    if case.kernel not in GATHERING:
        expected = expected[[k for k, is_lost in enumerate(case.lost()) if not is_lost]]
    if expected.shape != case.out.shape:
        return [f"shape {case.out.shape}, expected {expected.shape}"]
    wrong = []
    got = case.out.astype(np.complex128)
    expected = expected.astype(np.complex128)
    if np.any(np.isnan(got) != np.isnan(expected)):
        at = tuple(np.argwhere(np.isnan(got) != np.isnan(expected))[0])
        wrong.append(f"missing at {at}: {got[at]}, expected {expected[at]}")
    there = ~np.isnan(got) & ~np.isnan(expected)
    scale = np.sqrt(np.mean(np.abs(expected[there]) ** 2)) if there.any() else 1
    far = np.where(there, np.abs(got - expected), 0)
    if far.max() > case.tolerance * scale:
        at = np.unravel_index(np.argmax(far), far.shape)
        wrong.append(f"value at {tuple(int(i) for i in at)}: {got[at]}, expected {expected[at]} (scale {scale:.3g})")
    if not there.any():
        wrong.append("nothing is there to compare")
    for k, header in enumerate(case.frames):
        is_whole = not np.any(np.isnan(got[k])) if case.kernel != "threshold" else True
        if not is_whole and not header["is_incomplete"]:
            wrong.append(f"frame {k} does not say that something is missing")
        if case.kernel not in {"correlate", "fold", "threshold"}:
            utc = START_NS + round(header["sequence"] / case.kinds[0]["rate_hz"] * 1e9) - round(case.shift * 1e9)
            if abs(header["utc_ns"] - utc) > 2:
                wrong.append(f"frame {k} has UTC {header['utc_ns']}, expected {utc}")
    return wrong


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = 0
    names = sorted(path.stem for path in folder.glob("*.json"))
    for name in names:
        for line in judge(Case(folder, name)):
            print(f"{name}: {line}")
            failed = 1
    if not names:
        print("no cases")
        failed = 1
    sys.exit(failed)


main()
