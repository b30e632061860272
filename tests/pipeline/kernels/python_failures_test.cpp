/// Tests the errors of scripts as kernels, and how their processes end.

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/system/stop_request.hpp"
#include "tests/pipeline/kernels/python_kernels.hpp"

namespace takt::pipeline::test {
namespace kernels_python_failures_test {

using ::testing::HasSubstr;

class PythonFailures : public PythonKernels {};

template <class Action>
std::string failure_of(Action action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

TEST_F(PythonFailures, report_the_line_of_scripts_that_cannot_run) {
  const FrameType type = spectra(4, 2);
  EXPECT_THAT(refusal("def process(x)\n    return x\n", {type}),
              HasSubstr("test:1:2: task 'x': parameter 'file': " + script() + ":1: SyntaxError"));
  EXPECT_THAT(refusal("import numpy\n\nimport nompy\n", {type}),
              HasSubstr(script() + ":3: ModuleNotFoundError: No module named 'nompy'"));
  EXPECT_THAT(refusal("def proces(x): return x\ndef other(x): return x\n", {type}),
              HasSubstr("parameter 'function': unknown function 'process'; did you mean 'proces'?"));
  EXPECT_THAT(refusal("def process(x, gain=1): return x\n", {type}, {{"parameters", "[gian=2]"}}),
              HasSubstr("parameter 'parameters': unknown parameter 'gian'; did you mean 'gain'?"));
  EXPECT_THAT(
      refusal("def process(x, gain): return x\n", {type}),
      HasSubstr("process(x, gain) cannot be called with 1 frame: missing a required argument: 'gain'"));
  EXPECT_THAT(refusal("def process(x): return x\n", {type, type}),
              HasSubstr("cannot be called with 2 frames"));
  EXPECT_THAT(refusal("def process(x): return x\n", {type}, {{"parameters", "[gain]"}}),
              HasSubstr("'gain' is not a parameter: expected name=value"));
  EXPECT_THAT(refusal("def process(x): return x\n", {type}, {{"frames", "4"}}), HasSubstr("has no finish()"));
  EXPECT_THAT(refusal("def process(x): return x\ndef process_type(x): return 3\n", {type}),
              HasSubstr("expected takt.Type"));
  EXPECT_THAT(refusal("import takt\ndef process(x): return x\n"
                      "def process_type(x): return takt.Type('float32', [('a', 0)])\n",
                      {type}),
              HasSubstr(script() + ":3: ValueError: axis 'a' with 0 indices"));
  EXPECT_THAT(refusal("import takt\ndef process(x): return x\n"
                      "def process_type(x): return takt.Type('float16', [('a', 2)])\n",
                      {type}),
              HasSubstr("no element 'float16' (known: int8 uint8"));
  EXPECT_THAT(refusal("import sys\nsys.exit(3)\n", {type}), HasSubstr(script() + ":2: SystemExit: 3"));
  EXPECT_THAT(refusal("import os\nos._exit(3)\n", {type}), HasSubstr("ended with exit code 3"));
  try {
    KernelBench("python", {{"file", "none.py"}, {"interpreter", "no-python"}}, {type});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("parameter 'interpreter': 'no-python' cannot be started"));
  }
}

TEST_F(PythonFailures, end_with_the_last_line_of_the_traceback) {
  const auto fails = [&](const std::string& body, const Written& written = {}) {
    const std::string text =
        "import numpy as np\ndef process(x):\n    if x[0, 0] != 1: return x.astype('i1')\n    ";
    KernelBench bench = kernel(text + body + "\n", {spectra(4, 2)}, written);
    std::ranges::fill(bench.input().as<float>(), 0.0F);
    if (written.empty() || written.front().first != "element") {
      EXPECT_EQ(bench.process(), Outcome::produced);
    }
    bench.input().as<float>()[0] = 1;
    return failure_of([&] { (void)bench.process(); });
  };
  EXPECT_EQ(fails("return x[7]"),
            script() + ":4: IndexError: index 7 is out of bounds for axis 0 with size 4");
  EXPECT_THAT(fails("return np.linalg.inv(x)"), HasSubstr(script() + ":4: numpy.linalg.LinAlgError"));
  EXPECT_THAT(fails("return x[:2]"), HasSubstr("process returned float32[2, 2]: expected the shape [4, 2]"));
  EXPECT_THAT(fails("return x + 1j"), HasSubstr("process returned elements of complex64: expected float32"));
  EXPECT_THAT(fails("return (x + 300).astype(int)", {{"element", "int8"}}),
              HasSubstr("values from 300 to 301"));
  EXPECT_THAT(fails("import os; os.kill(os.getpid(), 11)"), HasSubstr("was killed by signal 11"));
  EXPECT_THAT(fails("import os, time; os.close(3); time.sleep(60)"), HasSubstr("was killed by signal 9"));
  EXPECT_THAT(fails("while True: pass", {{"timeout", "200 ms"}}),
              HasSubstr("did not answer for 200 ms (parameter 'timeout'), and was ended"));
}

/// A script that never produces a frame does not fit its pipeline. This is the user's error, at its position,
/// found when the pipeline is read, or with the first frame when trials are off.
TEST_F(PythonFailures, are_refused_when_they_fail_with_a_first_frame) {
  for (const bool tries_first : {true, false}) {
    const auto refused = [&](const std::string& body, Written written = {}) {
      if (!tries_first) written.emplace_back("trial", "false");
      std::optional<KernelBench> bench;
      const std::string text =
          "import numpy as np, os\nN = 0\ndef process(x, gain=1):\n    global N\n    N += 1\n    ";
      try {
        bench.emplace(kernel(text + body + "\n", {spectra(4, 2)}, written));
        if (tries_first) return std::string("taken");
        (void)bench->process();
      } catch (const ConfigError& error) {
        return std::string(error.what());
      }
      return std::string("taken");
    };
    EXPECT_THAT(refused("return x * gain ** 2", {{"parameters", "[gain=much]"}}),
                HasSubstr("test:1:2: task 'x': parameter 'file': " + script() + ":6: TypeError"));
    EXPECT_THAT(
        refused("return np.ma.masked_less(x.astype(int), 5)", {{"element", "int16"}}),
        HasSubstr("process returned a masked array, but elements of int16 cannot be missing: expected a "
                  "floating-point element, or takt.Type(..., masked=True)"));
    EXPECT_THAT(refused("return x[1:]"), HasSubstr("expected the shape [4, 2]"));
    // The trial leaves no state and prints nothing.
    EXPECT_EQ(refused("print('tried'); assert N == 1; return x"), "taken");
  }
  EXPECT_THAT(refusal("import os\ndef process(x): os.kill(os.getpid(), 11)\n", {spectra(4, 2)}),
              HasSubstr("its first frame ends its Python process by signal 11"));
  const char* const gathers =
      "class Gather:\n    def __call__(self, x): self.x = x\n    def finish(self): return self.x[1:]\n";
  const Written four{{"function", "Gather"}, {"frames", "4"}};
  EXPECT_THAT(refusal(gathers, {spectra(4, 2)}, four),
              HasSubstr("Gather returned float32[3, 2]: expected the shape [4, 2]"));
  EXPECT_THAT(refusal("class Gather:\n    def __call__(self, x): return x\n    def finish(self): return 1\n",
                      {spectra(4, 2)}, four),
              HasSubstr("Gather returned a frame while frames are combined"));
  // The measurement reports a slow script.
  EXPECT_EQ(refusal("import time\ndef process(x): time.sleep(600)\n", {spectra(4, 2)}, {{"timeout", "1 s"}}),
            "taken");
}

/// Every element and several inputs: noise of the type and shape of the input.
TEST_F(PythonFailures, are_tried_with_noise_for_each_input) {
  const char* const text = R"(
import numpy as np
def process(a, b, c, info):
    assert np.isfinite(a).all() and a.std() > 0.1 and a.shape == (64, 2) and a.dtype == 'c8'
    assert b['r'].std() > 1 and b['i'].std() > 1 and len(b) == 50 and c.std() > 1 and c.dtype == 'u1'
    assert info.missing_parts == 0 and info.combined == 1 and info.side == {} and not info.mask(1).any()
    return a
)";
  FrameType flagged = frame_type(ElementType::complex_int16, {{"packet", 5}, {"time", 10}});
  flagged.axes = {{"time", 50, {}}};
  flagged.parts = {5};
  EXPECT_EQ(refusal(text, {frame_type(ElementType::complex_float32, {{"time", 64}, {"polarisation", 2}}),
                           flagged, frame_type(ElementType::uint8, {{"time", 50}})}),
            "taken");
}

/// One request to stop is sufficient; without a reaction the test would last ten minutes.
TEST_F(PythonFailures, are_ended_during_a_finish_after_a_request_to_stop) {
  KernelBench bench = kernel(
      "import time\nclass Stuck:\n    def __call__(self, x): pass\n"
      "    def finish(self):\n        while True: time.sleep(1)\n",
      {spectra(4, 2)}, {{"function", "Stuck"}, {"timeout", "10 min"}});
  bench.input().header() = {.parts = 1, .combined = 1};
  EXPECT_EQ(bench.process(), Outcome::absorbed);
  std::thread user([] {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    ask_to_stop();
  });
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("finish() of Stuck did not return within 2 s of the request to stop, and was ended: "
                        "its remaining output is lost\n"));
  user.join();
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
}

/// In a trial, Ctrl-C arrives before the end of its stream.
TEST_F(PythonFailures, are_ended_in_a_finish_that_begins_after_a_request_to_stop) {
  KernelBench bench = kernel(
      "import time\nclass Stuck:\n    def __call__(self, x): pass\n"
      "    def finish(self):\n        while True: time.sleep(1)\n",
      {spectra(4, 2)}, {{"function", "Stuck"}, {"timeout", "10 min"}});
  bench.input().header() = {.parts = 1, .combined = 1};
  EXPECT_EQ(bench.process(), Outcome::absorbed);
  ask_to_stop();
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(bench.finish(), Outcome::absorbed);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("finish() of Stuck did not return within 2 s"));
}

TEST_F(PythonFailures, refuse_inputs_of_different_times_by_default) {
  const std::string text = "def process(a, b): return a\n";
  FrameType type = spectra(4, 2), later = type;
  type.rate_hz = later.rate_hz = 1;
  later.start_s = 0.5;
  EXPECT_THAT(refusal(text, {later, type}), HasSubstr("begins 2 samples (500 ms) earlier"));
  EXPECT_EQ(refusal(text, {later, type}, {{"same_time", "false"}}), "taken");
  EXPECT_NEAR(kernel(text, {later, type}, {{"same_time", "false"}}).output_type().start_s, 0.5, 1e-12);
}

TEST_F(PythonFailures, name_parameters_without_a_value_or_given_twice) {
  const std::string text = "def process(x, g='a', h=1):\n    assert g == '' and h == 1\n    return x\n";
  EXPECT_THAT(refusal(text, {spectra(4, 2)}, {{"parameters", "[g=]"}}),
              HasSubstr("'g=' has no value: expected g=value (g='' is an empty text)"));
  EXPECT_THAT(refusal(text, {spectra(4, 2)}, {{"parameters", "[h=1, h=2]"}}),
              HasSubstr("'h' is given twice"));
  EXPECT_EQ(kernel(text, {spectra(4, 2)}, {{"parameters", "[g='']"}}).process(), Outcome::produced);
}

TEST_F(PythonFailures, print_to_stderr_and_leave_no_process) {
  const std::string text =
      "import os\nopen(__file__ + '.pid', 'w').write(str(os.getpid()))\n"
      "print('hello')\ndef process(x): return x\n";
  { (void)kernel(text, {spectra(4, 2)}); }
  const pid_t pid = std::stoi(takt::test::read_file(script() + ".pid"));
  EXPECT_EQ(::kill(pid, 0), -1);
}

}  // namespace kernels_python_failures_test
}  // namespace takt::pipeline::test
