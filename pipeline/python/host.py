"""Runs the script of a Python kernel in a process of its own, which takt starts for each kernel object.

Commands pass through a socket (descriptor 3), frames through shared memory (5), in which numpy arrays are made once.
Descriptor 4 becomes readable when takt has ended. Every request begins with a letter:

    j LENGTH JSON   load, map, trial, change, save or restore; answer: j LENGTH JSON, with `error` after a failure
    p               process the frames in the memory; answer: f (output frame in the memory), n (no output) or j LENGTH JSON
    r               the result of the gathered frames; answer: f or j
    e               the end of the stream; answer: f (the last frame), g (a frame, more follow), n (no frame) or j

pipeline/python/python_process.hpp is the other end.
"""

import ast
import base64
import inspect
import json
import math
import mmap
import os
import pickle
import signal
import socket
import struct
import sys
import threading
import traceback
import types
import warnings

WORDS, LIFE, MEMORY = 3, 4, 5
HEADER = struct.Struct("<QqQqIIQIHHI4x6d")  # sensors/frames/frame.hpp
HEADER_ROOM = 128
ALIGNMENT = 64
TYPES = {
    "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2", "int32": "<i4", "float32": "<f4", "float64": "<f8",
    "complex_int8": [("r", "i1"), ("i", "i1")], "complex_int16": [("r", "<i2"), ("i", "<i2")], "complex_float32": "<c8",
    "complex_uint8": [("r", "u1"), ("i", "u1")], "complex_uint16": [("r", "<u2"), ("i", "<u2")],
}


class Failure(Exception):
    """An error for the user; `about` is the parameter concerned."""

    def __init__(self, message, about="file", **more):
        super().__init__(message)
        self.answer = {"error": message, "about": about, **more}


class Axis:
    """One dimension of a frame: name, size, and a coordinate for each index or none."""

    def __init__(self, name, size, coordinates=()):
        self.name, self.size, self.coordinates = str(name), int(size), [float(each) for each in coordinates]
        if not self.name or self.size < 1:
            raise ValueError(f"axis '{name}' with {size} indices: expected a name and 1 or more")
        if not all(map(math.isfinite, self.coordinates)):
            raise ValueError(f"axis {name} has a coordinate without a number: expected a number")
        if self.coordinates and len(self.coordinates) != self.size:
            raise ValueError(f"axis {name} has {self.size} indices and {len(self.coordinates)} coordinates")

    def __repr__(self):
        return f"{self.name}={self.size}"


class Type:
    """Type of frames: `element` in takt's notation, `axes`, `rate` in Hz (0: unknown, None: that of the first input), and for
    integers whether elements may be missing (`masked`: frames are numpy.ma arrays)."""

    def __init__(self, element, axes, rate=None, unit="", masked=False):
        if element not in TYPES:
            raise ValueError(f"no element '{element}' (known: {' '.join(TYPES)})")
        if masked and "float" in element:
            raise ValueError(f"masked is for integers: elements of {element} that are NaN are missing")
        self.masked = bool(masked)
        self.element, self.rate, self.unit = element, None if rate is None else float(rate), str(unit)
        if rate is not None and not 0 <= self.rate < math.inf:
            raise ValueError(f"a rate of {rate} Hz cannot be")
        self.axes = [each if isinstance(each, Axis) else Axis(*each) for each in axes]

    @property
    def shape(self):
        return tuple(each.size for each in self.axes)

    @property
    def dtype(self):
        return numpy.dtype(TYPES[self.element])

    def axis(self, name):
        """Returns the axis of that name; raises KeyError if there is none."""
        for each in self.axes:
            if each.name == name:
                return each
        raise KeyError(f"no axis '{name}' (known: {' '.join(each.name for each in self.axes)})")

    def __repr__(self):
        return self.element + "".join(f"[{each}]" for each in self.axes)


def type_from(json_type):
    axes = [Axis(each["name"], each["size"], each["coordinates"]) for each in json_type["axes"]]
    made = Type(json_type["element"], axes, json_type["rate_hz"], json_type["unit"])
    made.parts, made.side = json_type["parts"], json_type["side"]
    return made


class Info:
    """The current frames: the first input's header, side values, and missing elements."""

    _names = ("sequence", "utc_ns", "first_sample", "ingested_ns", "parts", "missing_parts", "missing_mask",
              "combined", "source", "epoch", "change")

    def __init__(self, kernel):
        self._kernel = kernel
        values = HEADER.unpack_from(kernel.memory, kernel.places[0] - HEADER_ROOM)
        for name, value in zip(self._names, values):
            setattr(self, name, value)
        self.side = dict(zip(kernel.inputs[0].side, values[len(self._names):]))

    def mask(self, input=0):
        """Returns a mask of that input in the frame's shape: True for missing elements, as in numpy.ma."""
        return self._kernel.mask(input)


def place_of(error, script):
    """Returns file:line of an error: the script's own line if there is one."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename != "<takt>"]
    own = [each for each in frames if each.filename == script]
    at = (own or frames)[-1:]
    return f"{at[0].filename}:{at[0].lineno}" if at else script


def told(error, script):
    """Returns file:line and the traceback's last line."""
    last = traceback.format_exception_only(type(error), error)[-1].strip()
    return f"{place_of(error, script)}: {last}"


def value_of(text):
    """Returns a Python literal (number, list, True, None, ...), or the text if it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def keywords_of(texts):
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise Failure(f"'{text}' is not a parameter: expected name=value", "parameters")
        if not value.strip():
            raise Failure(f"'{text}' has no value: expected {name.strip()}=value ({name.strip()}='' is an empty text)",
                          "parameters")
        if name.strip() in found:
            raise Failure(f"'{name.strip()}' is given twice", "parameters")
        found[name.strip()] = value_of(value.strip())
    return found


def script_names(module):
    return sorted(name for name, value in vars(module).items()
                  if callable(value) and getattr(value, "__module__", None) == module.__name__)


def check_call(target, count, given, script):
    """Fails unless `target` accepts `count` frames and these keywords. Returns whether it has a parameter `info`."""
    try:
        signature = inspect.signature(target)
    except (ValueError, TypeError):
        return False
    known = signature.parameters
    any_name = any(each.kind is each.VAR_KEYWORD for each in known.values())
    wants_info = "info" in known and "info" not in given
    names = [each.name for each in list(known.values())[count:]
             if each.kind in (each.KEYWORD_ONLY, each.POSITIONAL_OR_KEYWORD) and each.name != "info"]
    for name in given:
        if not any_name and name not in names:
            raise Failure("", "parameters", unknown=name, known=names)
    try:
        signature.bind(*[None] * count, **given, **({"info": None} if wants_info else {}))
    except TypeError as error:
        raise Failure(f"{script}: {getattr(target, '__name__', 'the kernel')}{signature} cannot be called with "
                      f"{count} frame{'s' if count != 1 else ''}: {error}", "function") from None
    return wants_info


class Kernel:
    """The script, its function or object, and the arrays in shared memory."""

    def __init__(self):
        self.more = None

    # Requests in JSON.

    def load(self, request):
        self.script, self.name = request["file"], request["function"]
        self.inputs = [type_from(each) for each in request["inputs"]]
        keywords = keywords_of(request["parameters"])
        module = types.ModuleType("takt_script")
        module.__file__ = self.script
        sys.modules["takt_script"] = module
        sys.path.insert(0, os.path.dirname(os.path.abspath(self.script)))
        with open(self.script, "rb") as file:
            exec(compile(file.read(), self.script, "exec"), vars(module))
        self.target = getattr(module, self.name, None)
        if not callable(self.target):
            raise Failure("", "function", unknown=self.name, known=script_names(module))
        self.is_class = inspect.isclass(self.target)
        self.gathers = request["frames"] > 1
        self.begin(keywords)
        if request["frames"] > 1 and not hasattr(self.call, "finish"):
            raise Failure(f"{self.name} has no finish(), which gives what {request['frames']} frames become: "
                          "expected a class with __call__ and finish", "frames")
        self.output = type_from(request["output"]) if request["output"] else self.ask_type(module, keywords)
        return {"output": self.describe_output(), "keeps": self.is_class}

    def begin(self, keywords):
        """Binds the function to these keywords, or makes an object of the class with them."""
        if not self.is_class:
            self.wants_info = check_call(self.target, len(self.inputs), keywords, self.script)
            self.call, self.keywords = self.target, keywords
            return
        check_call(self.target, 0, keywords, self.script)
        self.call, self.keywords = self.target(**keywords), {}
        if not callable(self.call):
            raise Failure(f"{self.script}: class {self.name} has no __call__(self, frame)", "function")
        self.wants_info = check_call(self.call, len(self.inputs), {}, self.script)

    def ask_type(self, module, keywords):
        ask = getattr(self.call, "output_type", None) if self.is_class else getattr(module, self.name + "_type", None)
        if ask is None:
            first = self.inputs[0]
            return Type(first.element, first.axes, None, first.unit)
        given = ask(*self.inputs) if self.is_class else ask(*self.inputs, **keywords)
        if not isinstance(given, Type):
            raise TypeError(f"{getattr(ask, '__name__', 'output_type')} returned {type(given).__name__}: expected takt.Type")
        return given

    def describe_output(self):
        output = self.output
        axes = [{"name": each.name, "size": each.size, "coordinates": each.coordinates} for each in output.axes]
        return {"element": output.element, "axes": axes, "rate_hz": output.rate, "unit": output.unit,
                "masked": output.masked}

    def map(self, request):
        self.memory = mmap.mmap(MEMORY, request["bytes"])
        self.places = request["inputs"]
        self.arrays = []
        for place, each in zip(self.places, self.inputs):
            self.arrays.append(numpy.ndarray(each.shape, each.dtype, self.memory, place))
        self.out = numpy.ndarray(self.output.shape, self.output.dtype, self.memory, request["output"])
        # One byte for each element, after the elements.
        self.out_flags = numpy.ndarray(self.output.shape, "u1", self.memory, request["output"] + self.out.nbytes) \
            if self.output.masked else None
        return {}

    def trial(self, request):
        """Returns the error of a frame of noise, processed in a fork, so that this process is unaffected. A frame that
        takes longer than `seconds` returns none."""
        reading, writing = os.pipe()
        sys.stdout.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # The other thread only waits.
            child = os.fork()
        if child == 0:
            self.try_in_child(writing, request["seconds"])
        os.close(writing)
        with os.fdopen(reading, "rb") as told_there:
            text = told_there.read()
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) != signal.SIGALRM:
            return {"error": f"its first frame ends its Python process by signal {os.WTERMSIG(status)}", "about": "file"}
        return json.loads(text or "{}")

    def try_in_child(self, writing, seconds):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        answer = {}
        try:
            self.fill_with_noise()
            given = self.process()
            if self.gathers and given != b"n":
                raise Failure(f"{self.script}: {self.name} returned a frame while frames are combined: expected None, "
                              "and the frame from finish()")
            if self.gathers:
                self.result()
        except Failure as failure:
            answer = failure.answer
        except BaseException as error:
            answer = {"error": told(error, self.script), "about": "file"}
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)

    def fill_with_noise(self):
        random = numpy.random.RandomState(1)
        for place, array in zip(self.places, self.arrays):
            HEADER.pack_into(self.memory, place - HEADER_ROOM, 0, 1_600_000_000_000_000_000, 0, 0, 1, 0, 0, 1, 0, 0, 0,
                             *[0.0] * 6)
            numbers = array.reshape(-1)
            if array.dtype.kind == "c":
                numbers = numbers.view("f4")
            elif array.dtype.names:
                numbers = numbers.view(array.dtype["r"])
            numbers[:] = random.uniform(-1, 1, numbers.size) if numbers.dtype.kind == "f" else \
                random.randint(0, 32, numbers.size)

    def change(self, request):
        keywords = keywords_of(request["parameters"])
        if self.is_class and hasattr(self.call, "change"):
            check_call(self.target, 0, keywords, self.script)
            self.call.change(**keywords)
        else:
            self.begin(keywords)
        return {}

    def save(self, request):
        try:
            return {"state": base64.b64encode(pickle.dumps(vars(self.call))).decode()}
        except Exception:  # The kernel then has no movable state.
            return {}

    def restore(self, request):
        vars(self.call).update(pickle.loads(base64.b64decode(request["state"])))
        return {}

    # Frames.

    def mask(self, index):
        kind, array = self.inputs[index], self.arrays[index]
        missing = HEADER.unpack_from(self.memory, self.places[index] - HEADER_ROOM)[5]
        if missing == 0:
            return numpy.zeros(kind.shape, bool)
        if not kind.parts:
            return numpy.isnan(array) if array.dtype.kind in "fc" else numpy.zeros(kind.shape, bool)
        # One byte for each part, after the elements; further axes have one part.
        parts = list(kind.parts) + [1] * (len(kind.shape) - len(kind.parts))
        flags = numpy.ndarray(parts, "u1", self.memory, self.places[index] + array.nbytes) != 0
        for axis, size in enumerate(kind.shape):
            flags = numpy.repeat(flags, size // parts[axis], axis)
        return flags

    def process(self):
        more = {"info": Info(self)} if self.wants_info else {}
        # Copies, which the script may keep and change: the next frame overwrites the memory after the answer.
        frames = [each.copy() for each in self.arrays]
        return self.put(self.call(*frames, **self.keywords, **more))

    def result(self):
        given = self.call.finish()
        if given is None:
            raise ValueError(f"finish() of {self.name} returned None: expected the frame that combines the others")
        return self.put(given)

    def end(self):
        if self.more is None:
            finish = getattr(self.call, "finish", None)
            given = finish() if finish is not None else None
            several = inspect.isgenerator(given) or isinstance(given, (list, tuple))
            self.more = iter(given if several else [] if given is None else [given])
            self.next = next(self.more, None)
        if self.next is None:
            return b"n"
        self.put(self.next)
        self.next = next(self.more, None)
        return b"f" if self.next is None else b"g"

    def put(self, given):
        if given is None:
            return b"n"
        out = self.out
        if self.out_flags is not None:
            mask = numpy.ma.getmaskarray(given)
            if mask.dtype.names:
                mask = mask["r"] | mask["i"]
            given = numpy.array(numpy.ma.getdata(given))
            if mask.shape == given.shape == out.shape:
                given[mask] = numpy.zeros((), given.dtype)
                self.out_flags[...] = mask
        elif isinstance(given, numpy.ma.MaskedArray):
            # Also without masked elements, so that the first frame shows the error.
            if out.dtype.kind not in "fc":
                raise TypeError(f"{self.name} returned a masked array, but elements of {self.output.element} cannot be "
                                "missing: expected a floating-point element, or takt.Type(..., masked=True)")
            given = given.filled(numpy.nan) if given.dtype.kind in "fc" else \
                numpy.ma.filled(given.astype(out.dtype), numpy.nan)
        given = numpy.asarray(given)
        if given.shape != out.shape:
            raise ValueError(f"{self.name} returned {given.dtype}{list(given.shape)}: expected the shape {list(out.shape)}")
        if given.dtype != out.dtype:
            if not numpy.can_cast(given.dtype, out.dtype, "same_kind"):
                raise TypeError(f"{self.name} returned elements of {given.dtype}: expected {out.dtype}")
            if out.dtype.kind in "iu" and not numpy.can_cast(given.dtype, out.dtype, "safe") and given.size > 0:
                room = numpy.iinfo(out.dtype)
                if given.min() < room.min or given.max() > room.max:
                    raise OverflowError(f"{self.name} returned values from {given.min()} to {given.max()}, "
                                        f"expected {room.min} to {room.max} of {out.dtype}")
        numpy.copyto(out, given, casting="same_kind")
        return b"f"


def received(words, count):
    data = b""
    while len(data) < count:
        piece = words.recv(count - len(data))
        if not piece:
            os._exit(0)
        data += piece
    return data


def answer_json(words, answer):
    text = json.dumps(answer).encode()
    words.sendall(b"j" + struct.pack("<I", len(text)) + text)


def attempt(words, kernel, work):
    """Answers with the result of `work`, or with its error."""
    try:
        answer = work()
    except Failure as failure:
        answer = failure.answer
    except BaseException as error:  # Including SystemExit: a script that exits has not finished.
        answer = {"error": told(error, getattr(kernel, "script", "")), "about": "file"}
    sys.stdout.flush()
    if isinstance(answer, bytes):
        words.sendall(answer)
    else:
        answer_json(words, answer)


def serve(words):
    kernel = Kernel()
    steps = {b"p": kernel.process, b"r": kernel.result, b"e": kernel.end}
    while True:
        letter = received(words, 1)
        if letter != b"j":
            attempt(words, kernel, steps[letter])
            continue
        request = json.loads(received(words, struct.unpack("<I", received(words, 4))[0]))
        attempt(words, kernel, lambda: getattr(kernel, request["do"])(request))


def watch_takt():
    """Ends this process when takt has ended, even while the script runs."""
    os.read(LIFE, 1)
    os._exit(1)


def main():
    # takt handles Ctrl-C in the terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=watch_takt, daemon=True).start()
    words = socket.socket(fileno=WORDS)
    try:
        global numpy
        import numpy
    except Exception as error:
        received(words, 1)
        received(words, struct.unpack("<I", received(words, 4))[0])
        answer_json(words, {"error": f"{sys.executable} has no numpy ({error}): install it (Debian: python3-numpy), "
                                     "or name another interpreter", "about": "interpreter"})
        os._exit(1)
    takt = types.ModuleType("takt")
    takt.Axis, takt.Type = Axis, Type
    sys.modules["takt"] = takt
    serve(words)


main()
