/// Tests that combining inputs of different times as if they were one is refused, and nothing else is.

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Returns the errors of frames of 64 samples, 1 ms apart, for `tasks`; one task is named `last`.
std::vector<std::string> errors_of(const std::string& tasks, const std::string& rate = "15.625 Hz") {
  return errors_in(
      "sources:\n  s: {type: synthetic, element: complex_float32, axes: "
      "[beamlet=2:100e6:1e3, time=64, polarisation=2]" +
      (rate.empty() ? rate : ", rate: " + rate) + "}\ntasks:\n" + tasks +
      "sinks:\n  o: {type: 'null', input: last}\n");
}

TEST(InputsOfOneTask, are_refused_when_a_filter_delays_one_of_them) {
  const std::string fir = "  slow: {kernel: fir, input: s, low: 1 Hz, high: 100 Hz, taps: 21}\n";
  EXPECT_THAT(
      errors_of(fir + "  last: {kernel: sum, inputs: [s, slow]}\n"),
      ElementsAre(
          "p.yaml:5:35: task 'last': its inputs have different times: 'slow' begins 10 samples (10 ms) "
          "earlier than 's': expected {kernel: align, input: s, samples: 10} between 's' and it"));
  // The undelayed input needs the delay in either order.
  EXPECT_THAT(errors_of(fir + "  last: {kernel: sum, inputs: [slow, s]}\n"),
              ElementsAre(HasSubstr("{kernel: align, input: s, samples: 10} between 's' and it")));
  const std::string align = "  lags: {kernel: align, input: s, samples: 10}\n";
  EXPECT_THAT(errors_of(fir + align + "  last: {kernel: sum, inputs: [lags, slow]}\n"), IsEmpty());
  // With an unknown rate the error has no times, only the same number of samples.
  const std::string own = "  slow: {kernel: fir, input: s, coefficients: [0, 0, 1, 0, 0]}\n";
  EXPECT_THAT(errors_of(own + "  last: {kernel: sum, inputs: [s, slow]}\n", ""),
              ElementsAre(HasSubstr("samples: 2} between 's' and it")));
  EXPECT_THAT(errors_of(own + "  lags: {kernel: align, input: s, samples: 2}\n"
                              "  last: {kernel: sum, inputs: [lags, slow]}\n",
                        ""),
              IsEmpty());
}

TEST(InputsOfOneTask, are_refused_after_every_kernel_that_delays) {
  for (const auto& [task, samples] : std::vector<std::pair<std::string, std::string>>{
           {"kernel: delay, delay: 0, taps: 8", "3"},
           {"kernel: downmix, frequency: 0, factor: 1", ""},
           {"kernel: align, samples: 7", "7"},
           {"kernel: resample, up: 1, down: 1, half_width: 4", "4"}})
    for (const std::string combine :
         {"{kernel: sum, inputs: [s, b]}", "{kernel: stack, inputs: [s, b]}",
          "{kernel: beamform, inputs: [s, b]}", "{kernel: merge_lanes, inputs: [s, b]}"}) {
      const std::vector<std::string> errors =
          errors_of("  b: {input: s, " + task + "}\n  last: " + combine + "\n");
      if (samples.empty())
        EXPECT_THAT(errors, IsEmpty()) << task << combine;
      else
        EXPECT_THAT(errors, ElementsAre(HasSubstr("samples: " + samples + "}"))) << task << combine;
    }
  // A filter bank compared with a plain transform: 4 of its 8 taps of 16 samples are after their middle.
  EXPECT_THAT(errors_of("  a: {kernel: fft, input: s, channels: 16}\n"
                        "  b: {kernel: pfb, input: s, channels: 16, taps: 9}\n"
                        "  last: {kernel: correlate, inputs: [a, b]}\n"),
              ElementsAre(HasSubstr("'b' begins 4 samples (64 ms) earlier than 'a'")));
  EXPECT_THAT(errors_of("  a: {kernel: fft, input: s, channels: 16}\n"
                        "  b: {kernel: pfb, input: s, channels: 16, taps: 8}\n"
                        "  last: {kernel: correlate, inputs: [a, b]}\n"),
              ElementsAre(HasSubstr("3.5 samples (56 ms) earlier than 'a': expected a whole number")));
}

TEST(InputsOfOneTask, are_refused_when_their_samples_have_different_spacing) {
  EXPECT_THAT(
      errors_of("  half: {kernel: select, input: s, axis: time, first: 0, count: 32}\n"
                "  every: {kernel: select, input: s, axis: time, indices: [0,2,4,6,8,10,12,14,16,18,20,22,24,"
                "26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,62]}\n"
                "  last: {kernel: sum, inputs: [half, every]}\n"),
      ElementsAre(HasSubstr("samples of 'every' are 2 ms apart, those of 'half' 1 ms")));
  EXPECT_THAT(errors_of("  first: {kernel: select, input: s, axis: time, first: 0, count: 32}\n"
                        "  second: {kernel: select, input: s, axis: time, first: 32, count: 32}\n"
                        "  last: {kernel: sum, inputs: [first, second]}\n"),
              ElementsAre(HasSubstr("'first' begins 32 samples (32 ms) earlier than 'second'")));
}

TEST(InputsOfOneTask, may_have_the_same_time_through_different_kernels) {
  for (const std::string tasks :
       {// The ratio next to its trace.
        "  p: {kernel: stokes, input: s}\n  t: {kernel: sta_lta, input: p, short: 5 ms, long: 50 ms}\n"
        "  last: {kernel: stack, inputs: [p, t]}\n",
        // Two different delays: the purpose of the kernel.
        "  a: {kernel: delay, input: s, delay: 3 ms}\n  b: {kernel: delay, input: s, delay: 0}\n"
        "  last: {kernel: sum, inputs: [a, b]}\n",
        "  a: {kernel: fir, input: s, high: 100 Hz, taps: 9}\n  b: {kernel: fir, input: s, low: 100 Hz, "
        "taps: 9}\n"
        "  last: {kernel: sum, inputs: [a, b]}\n",
        // Pass only waits for its second input.
        "  b: {kernel: fir, input: s, high: 100 Hz}\n  last: {kernel: pass, inputs: [s, b]}\n",
        // Parts of a frame that are joined again.
        "  a: {kernel: select, input: s, axis: time, first: 0, count: 20}\n"
        "  b: {kernel: select, input: s, axis: time, first: 20, count: 44}\n"
        "  c: {kernel: stack, inputs: [a, b], axis: time}\n  last: {kernel: sum, inputs: [s, c]}\n"})
    EXPECT_THAT(errors_of(tasks), IsEmpty()) << tasks;
}

/// Returns the errors of two sources of voltages, of which the second has these
/// axes, for `tasks`; one task is named `last`.
std::vector<std::string> errors_of_two(const std::string& axes, const std::string& tasks) {
  const std::string source = ": {type: synthetic, element: complex_float32, rate: 1 kHz, axes: ";
  return errors_in("sources:\n  a" + source + "['beamlet=2:100e6:200e3', time=64, polarisation=2]}\n  b" +
                   source + axes + "}\ntasks:\n" + tasks + "sinks:\n  o: {type: 'null', input: last}\n");
}

TEST(InputsOfOneTask, are_refused_when_their_frequencies_differ) {
  const std::string spectra =
      "  f: {kernel: fft, input: a, channels: 8}\n  g: {kernel: fft, input: b, channels: 8}\n";
  const std::string powers = spectra + "  p: {kernel: stokes, input: f}\n  q: {kernel: stokes, input: g}\n";
  const std::vector<std::pair<std::string, std::string>> combined{
      {"  last: {kernel: sum, inputs: [a, b]}\n", "beamlet 1 is 100.3 MHz, that of the first input 100.2"},
      {"  last: {kernel: beamform, inputs: [a, b]}\n", "beamlet 1 is 100.3 MHz"},
      {"  last: {kernel: stack, inputs: [a, b]}\n", "beamlet 1 is 100.3 MHz"},
      {spectra + "  last: {kernel: correlate, inputs: [f, g]}\n", "channel 8 is 100.268 MHz"},
      {powers + "  last: {kernel: sum, inputs: [p, q]}\n", "channel 8 is 100.268 MHz"}};
  for (const auto& [tasks, expected] : combined) {
    EXPECT_THAT(errors_of_two("['beamlet=2:100e6:300e3', time=64, polarisation=2]", tasks),
                ElementsAre(HasSubstr(expected)))
        << tasks;
    // Equal frequencies, equal ones except for rounding in a file's header, and unknown ones.
    for (const std::string other : {"100e6:200e3", "100.00005e6:200e3", ""})
      EXPECT_THAT(
          errors_of_two("['beamlet=2" + (other.empty() ? other : ":" + other) + "', time=64, polarisation=2]",
                        tasks),
          IsEmpty())
          << other << tasks;
  }
  EXPECT_THAT(errors_of_two("['beamlet=2:100e6:300e3', time=64, polarisation=2]", combined[0].first),
              ElementsAre("p.yaml:5:35: task 'last': sum cannot take 'b': its beamlet 1 is 100.3 MHz, that "
                          "of the first input 100.2 MHz: expected the same of all inputs"));
  // Lanes keep their own frequencies.
  for (const std::string kernel : {"merge_lanes", "stack, axis: beamlet"})
    EXPECT_THAT(errors_of_two("['beamlet=2:100e6:300e3', time=64, polarisation=2]",
                              "  last: {kernel: " + kernel + ", inputs: [a, b]}\n"),
                IsEmpty());
}

TEST(InputsOfOneTask, are_refused_when_their_trials_differ) {
  const auto trials = [](const char* second) {
    return errors_of(
        "  f: {kernel: fft, input: s, channels: 8}\n  p: {kernel: stokes, input: f}\n"
        "  d: {kernel: dedisperse, input: p, trials: 4}\n"
        "  e: {kernel: select, input: d, axis: dm, indices: [0, 1]}\n"
        "  g: {kernel: select, input: d, axis: dm, indices: " +
        std::string(second) + "}\n  last: {kernel: sum, inputs: [e, g]}\n");
  };
  EXPECT_THAT(trials("[0, 1]"), IsEmpty());
  EXPECT_THAT(trials("[0, 3]"), ElementsAre(HasSubstr("its dm 1 is 3, that of the first input 1: expected")));
}

TEST(Stack, along_time_needs_consecutive_inputs) {
  EXPECT_THAT(
      errors_of("  last: {kernel: stack, inputs: [s, s], axis: time}\n"),
      ElementsAre(HasSubstr("the first sample comes 63 ms before the last one of the previous input")));
  EXPECT_THAT(errors_of("  last: {kernel: stack, inputs: [s, s], axis: ''}\n"),
              ElementsAre(HasSubstr("the name of the axis is empty")));
}

TEST(FramesWithGaps, are_refused_by_kernels_that_need_continuous_samples) {
  const std::string cut = "  cut: {kernel: select, input: s, axis: time, first: 8, count: 32}\n";
  for (const std::string task : {"kernel: fir, high: 100 Hz", "kernel: iir, high: 100 Hz", "kernel: delay",
                                 "kernel: decimate, factor: 2", "kernel: pfb, channels: 16",
                                 "kernel: downmix, frequency: 0", "kernel: align, samples: 1"})
    EXPECT_THAT(errors_of(cut + "  last: {input: cut, " + task + "}\n"),
                ElementsAre(HasSubstr("cannot take 'cut': samples between the frames")))
        << task;
  // Each frame alone.
  EXPECT_THAT(errors_of(cut + "  last: {kernel: fft, input: cut, channels: 16}\n"), IsEmpty());
  // Every second sample is still a continuous stream.
  EXPECT_THAT(
      errors_of("  b: {kernel: select, input: s, axis: time, indices: [1,3,5,7,9,11,13,15,17,19,21,23,25,27,"
                "29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63]}\n"
                "  last: {kernel: fir, input: b, high: 200 Hz}\n"),
      IsEmpty());
  EXPECT_THAT(
      errors_of("  b: {kernel: select, input: s, axis: time, indices: [1,3,5,7,9,11,13,15,17,19,21,23,25,27,"
                "29,31,33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63]}\n"
                "  last: {kernel: fir, input: b, high: 300 Hz}\n"),
      ElementsAre(HasSubstr("less than half the sample rate of 500 Hz")));
}

TEST(FramesWithGaps, are_refused_by_files_of_continuous_samples) {
  for (const std::string sink : {"type: sigproc, path: x.fil", "type: dada, path: x.dada",
                                 "type: mseed, path: x.mseed, channels: [XX.A..HHZ, XX.A..HHN]"})
    EXPECT_THAT(
        errors_in(
            "sources:\n  s: {type: synthetic, element: float32, axes: [time=64, channel=2:1e8:1e6], rate: 10 "
            "Hz}\ntasks:\n  cut: {kernel: select, input: s, axis: time, first: 0, count: 32}\n"
            "sinks:\n  o: {input: cut, " +
            sink + "}\n"),
        ElementsAre(HasSubstr("samples between the frames")))
        << sink;
}

}  // namespace
}  // namespace takt::pipeline::test
