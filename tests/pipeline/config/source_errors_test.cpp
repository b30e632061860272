/// Tests the errors of impossible sources, and of sources that cannot be joined, delayed or buffered.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(SourceErrors, state_the_reason_at_the_position_of_the_source) {
  EXPECT_THAT(
      errors_in(
          "sources:\n  s: {type: lofar_udp, ports: [1, 2, 3, 4, 5]}\nsinks:\n  o: {type: null, input: s}\n"),
      ElementsAre("p.yaml:2:31: source 's': parameter 'ports': 5 lanes are given: expected 1 to 4"));
  const auto lofar = [](const std::string& rest) {
    return errors_in("sources:\n  s: {type: lofar_udp, " + rest + "}\nsinks:\n  o: {type: null, input: s}\n");
  };
  EXPECT_THAT(
      lofar("ports: 1, bits: 7"),
      ElementsAre("p.yaml:2:40: source 's': parameter 'bits': samples of 7 bits do not exist: expected 16, 8 "
                  "or 4"));
  EXPECT_THAT(
      lofar("ports: [1, 1]"),
      ElementsAre(
          "p.yaml:2:31: source 's': parameter 'ports': port 1 is given twice: expected one per lane"));
  EXPECT_THAT(
      lofar("ports: 1, address: here"),
      ElementsAre(StartsWith("p.yaml:2:43: source 's': parameter 'address': 'here' is not an address")));
  EXPECT_THAT(
      lofar("ports: 1, from: [1.2.3.4, there]"),
      ElementsAre(StartsWith("p.yaml:2:40: source 's': parameter 'from': 'there' is not the address")));
  EXPECT_THAT(
      errors_in(
          "sources:\n  s: {type: lofar_udp, ports: 1, station: here}\nsinks:\n  o: {type: null, input: s}\n"),
      ElementsAre("p.yaml:2:43: source 's': parameter 'station': 'here' is not valid: expected the number of "
                  "a station or any"));
  EXPECT_THAT(
      errors_in("sources:\n  s: {type: synthetic, axes: [time]}\nsinks:\n  o: {type: null, input: s}\n"),
      ElementsAre("p.yaml:2:30: source 's': parameter 'axes': 'time' is not an axis: expected name=size or "
                  "name=size:first:step, for example time=1024 or channel=64:100e6:1e3"));
  EXPECT_THAT(errors_in("sources:\n  s: {type: synthetic, axes: [time=4, time=6]}\nsinks:\n  o: {type: "
                        "null, input: s}\n"),
              ElementsAre(StartsWith("p.yaml:2:3: source 's': its frames have two axes 'time'")));
}

/// Returns two sources whose frames are joined.
std::string pair_of(const std::string& first, const std::string& second, const std::string& rest = "") {
  return "sources:\n  a: {type: synthetic, " + first + "}\n  b: {type: synthetic, " + second +
         "}\ntasks:\n  j: {kernel: pass, inputs: [a, b]}\nsinks:\n  o: {type: null, input: j}\n" + rest;
}

TEST(SourceErrors, name_sources_that_cannot_be_joined) {
  EXPECT_THAT(errors_in(pair_of("axes: [time=1], rate: 200 Hz", "axes: [time=2], rate: 100 Hz")), IsEmpty());
  EXPECT_THAT(errors_in(pair_of("axes: [time=10], rate: 10 Hz", "axes: [time=4]")),
              ElementsAre("p.yaml:3:3: source 'b': its rate is not known, which joining several sources by "
                          "time needs: expected a rate"));
  EXPECT_THAT(errors_in(pair_of("axes: [time=10], rate: 10 Hz", "axes: [time=3], rate: 11 Hz")),
              ElementsAre("p.yaml:3:3: source 'b': its samples do not fit the longest frames, those of 'a': "
                          "100 ms hold 3.3 samples: expected rates of which one is a whole multiple of the "
                          "other, or frames of equal duration"));
  EXPECT_THAT(errors_in(pair_of("axes: [time=10], rate: 10 Hz", "axes: [channel=3], rate: 20 Hz")),
              ElementsAre("p.yaml:3:3: source 'b': its frames have no axis 'packet' or 'time' along which to "
                          "join 2 of them: float32[channel=3]"));
  EXPECT_THAT(
      errors_in(pair_of("axes: [time=1], rate: 1 Hz, delay: soon", "axes: [time=1], rate: 1 Hz",
                        "join: {wait: 1 s, longest: 3}\n")),
      ElementsAre(HasSubstr("p.yaml:2:59: source 'a': 'delay': "), HasSubstr("p.yaml:8:19: 'join': ")));
  EXPECT_THAT(errors_in("sources:\n  a: {type: synthetic, axes: [time=1], rate: 1 Hz, delay: 1 s}\nsinks:\n  "
                        "o: {type: null, input: a}\n"),
              ElementsAre("p.yaml:2:59: source 'a': 'delay' needs several sources, which it aligns: remove "
                          "it, or use the kernel 'delay'"));
}

TEST(SourceErrors, name_a_wait_that_exceeds_every_queue) {
  const auto waiting = [&](const std::string& wait) {
    return errors_in(
        "sources:\n  a: {type: synthetic, axes: [time=10], rate: 2 Hz}\n  b: {type: vdif_udp, ports: 4201, "
        "sample_rate: 3200 kHz, packets: 50, depth: 4}\nsinks:\n  o: {type: null, input: a}\n  p: {type: "
        "null, input: b}\njoin: {wait: " +
        wait + "}\n");
  };
  // Frames of 50 packets of 32,000 samples: half a second each.
  EXPECT_THAT(waiting("2 s"), IsEmpty());
  EXPECT_THAT(waiting("3 s"),
              ElementsAre("p.yaml:7:14: 'join': parameter 'wait': 3 s is too long: 'b' buffers frames for 2 "
                          "s: expected a shorter wait, or a 'depth' of 6 there"));
}

TEST(SourceErrors, name_an_impossible_backlog) {
  const auto with_backlog = [](const std::string& backlog) {
    return errors_in(
        "sources:\n  s: {type: synthetic, axes: [time=1024]}\nsinks:\n  o: {type: null, input: s, "
        "backlog: " +
        backlog + "}\n");
  };
  EXPECT_THAT(with_backlog("{policy: spill, spill: 1 MiB}"), IsEmpty());
  EXPECT_THAT(
      with_backlog("drop_oldest"),
      ElementsAre("p.yaml:4:38: sink 'o': 'backlog' must be a mapping such as {policy: drop_oldest}, not "
                  "a single value"));
  EXPECT_THAT(with_backlog("{policy: drop}"), ElementsAre(HasSubstr("p.yaml:4:47: sink 'o': 'backlog': ")));
  EXPECT_THAT(with_backlog("{policy: block, dept: 2}"),
              ElementsAre(HasSubstr("unknown parameter 'dept'; did you mean 'depth'?")));
  EXPECT_THAT(
      with_backlog("{policy: spill, spill: 1 KiB}"),
      ElementsAre("p.yaml:4:38: sink 'o': 'backlog': a 'spill' of 1 KiB is too small for a frame of 4 KiB"));
}

TEST(SourceErrors, name_an_impossible_transient_buffer) {
  const auto with_transient = [](const std::string& rate, const std::string& transient) {
    return errors_in(
        "sources:\n  s: {type: synthetic, axes: [time=8]" + rate +
        "}\ntasks:\n  e: {kernel: threshold, input: s, above: 1}\nsinks:\n  n: {type: null, input: "
        "e}\n  o: {type: null, input: s, transient: " +
        transient + "}\n");
  };
  EXPECT_THAT(with_transient(", rate: 5 Hz", "{before: 1 s, after: 2 s, trigger: e}"), IsEmpty());
  EXPECT_THAT(with_transient("", "{before: 1 s}"),
              ElementsAre("p.yaml:7:40: sink 'o': 'transient': the rate of frames is not known, but the "
                          "number of frames to buffer needs it"));
  EXPECT_THAT(with_transient(", rate: 5 Hz", "{after: 1 s}"), ElementsAre(HasSubstr("'before'")));
  EXPECT_THAT(with_transient(", rate: 5 Hz", "{before: 1 s, trigger: ee}"),
              ElementsAre(HasSubstr("p.yaml:7:63: sink 'o': unknown input 'ee'; did you mean 'e'?")));
  EXPECT_THAT(with_transient(", rate: 5 Hz", "{before: 9 h, trigger: e}"), IsEmpty());
  EXPECT_THAT(
      with_transient(", rate: 1 kHz", "{before: 9 h, trigger: e}"),
      ElementsAre(
          "p.yaml:7:40: sink 'o': 'transient': 32400 s is 32400001 frames: expected at most 1000000"));
}

/// Returns a join of two branches of a source whose frames have two spectra.
std::string join(const std::string& rate, const std::string& left, const std::string& right) {
  return "sources:\n  s: {type: synthetic, axes: [time=2, channel=1], rate: " + rate + "}\ntasks:\n  " +
         left + "\n  " + right +
         "\n  j: {kernel: pass, inputs: [a, b]}\nsinks:\n  o: {type: null, input: j}\n";
}

TEST(SourceErrors, refuse_to_join_frames_of_different_rates) {
  const std::string plain = "a: {kernel: pass, input: s}";
  // Eight spectra are four frames.
  const std::string gathered = "b: {kernel: integrate, input: s, factor: 8}";
  EXPECT_THAT(errors_in(join("100 Hz", plain, gathered)),
              ElementsAre("p.yaml:6:33: task 'j': its inputs differ in rate: 'a' outputs 100 Hz, 'b' outputs "
                          "25 Hz; integrate both alike, or after this task"));
  // The rate of a source without a rate is unknown; the number of its frames per output frame is known.
  EXPECT_THAT(
      errors_in(join("0", plain, gathered)),
      ElementsAre(
          "p.yaml:6:33: task 'j': its inputs differ in rate: 'a' outputs one per frame of the source, 'b' "
          "outputs one per 4 frames of the source; integrate both alike, or after this task"));
}

TEST(SourceErrors, refuse_to_join_frames_that_losses_would_misalign) {
  // After frames 0 and 3, one integration over four outputs at frame 3, two over two only at frame 4.
  EXPECT_THAT(
      errors_in(join("0", "a: {kernel: integrate, input: s, factor: 8}",
                     "m: {kernel: integrate, input: s, factor: 4}\n  b: {kernel: integrate, input: m, "
                     "factor: 2}")),
      ElementsAre("p.yaml:7:33: task 'j': its inputs 'a' and 'b' combine the source's frames in different "
                  "steps, so they diverge when frames are lost: combine in the same steps"));
}

TEST(SourceErrors, are_none_when_joined_frames_were_integrated_alike) {
  for (const char* rate : {"0", "100 Hz"})
    EXPECT_THAT(errors_in(join(rate, "a: {kernel: integrate, input: s, factor: 8}",
                               "b: {kernel: integrate, input: s, factor: 8, mode: sum}")),
                IsEmpty());
}

}  // namespace
}  // namespace takt::pipeline::test
