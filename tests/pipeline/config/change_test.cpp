/// Tests which parameter changes of a running pipeline are accepted, and why others are refused.

#include "pipeline/config/change.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

Changes changes() {
  return Changes(load(R"(sources:
  s: {type: synthetic, element: complex_float32, axes: [beamlet=2, time=64, polarisation=2], rate: 10 Hz}
tasks:
  spectrum: {kernel: fft, input: s, channels: 16}
  power: {kernel: stokes, input: spectrum}
  clean: {kernel: rfi_mask, input: power, sigma: 4}
  bound: {kernel: clip, input: clean, low: 0, high: 10}
sinks:
  o: {type: 'null', input: bound}
)"));
}

std::string error_of(Changes& changes, const std::string& text) {
  try {
    (void)changes.check(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(Changes, are_numbered_and_contain_the_previous_value) {
  Changes all = changes();
  const Change first = all.check("clean.sigma = 5");
  EXPECT_EQ(first.number, 1U);
  EXPECT_EQ(first.task, "clean");
  EXPECT_EQ(first.key, "sigma");
  EXPECT_EQ(first.value, "5");
  EXPECT_EQ(first.old_value, "4");
  const Change second = all.check("clean.sigma=6.5");
  EXPECT_EQ(second.number, 2U);
  EXPECT_EQ(second.old_value, "5");
  const Change back = change_from_text(to_text(second));
  EXPECT_EQ(back.stage, second.stage);
  EXPECT_EQ(back.value, "6.5");
  EXPECT_THAT(back.texts, ElementsAre("6.5"));
  EXPECT_THAT(all.names(), IsSupersetOf({"clean.sigma", "bound.low", "bound.high", "spectrum.least"}));
}

TEST(Changes, are_refused_with_the_nearest_name) {
  Changes all = changes();
  EXPECT_THAT(error_of(all, "claen.sigma=5"), HasSubstr("unknown task 'claen'; did you mean 'clean'?"));
  EXPECT_THAT(error_of(all, "clean.sigmaa=5"), HasSubstr("did you mean 'sigma'?"));
  EXPECT_THAT(error_of(all, "clean.method=median_deviation"),
              HasSubstr("must not change during a run (may change: sigma)"));
  EXPECT_THAT(
      error_of(all, "clean.methd=x"),
      HasSubstr(
          "did you mean 'method'? (known: method sigma shape blocks of); sigma may change during a run"));
  EXPECT_THAT(error_of(all, "power.mod=I"), HasSubstr("(known: mode); none may change"));
  EXPECT_THAT(error_of(all, "power.mode=I"), HasSubstr("no parameter of stokes may change"));
  EXPECT_THAT(error_of(all, "s.rate=5 Hz"),
              HasSubstr("'s' is a source: only parameters of tasks may change"));
  EXPECT_THAT(error_of(all, "o.path=x"), HasSubstr("is a sink"));
  for (const std::string text : {"clean", "clean.sigma", "=", ".=", "sigma=5", ""})
    EXPECT_NE(error_of(all, text), "") << text;
}

TEST(Changes, are_refused_when_the_kernel_rejects_the_value) {
  Changes all = changes();
  EXPECT_THAT(error_of(all, "clean.sigma=five"), HasSubstr("'five' is not a number"));
  EXPECT_THAT(error_of(all, "clean.sigma=[1, 2]"), HasSubstr("not a list"));
  EXPECT_THAT(error_of(all, "bound.high=-1"), HasSubstr("above the lower one"));
  // A refused change is not applied.
  EXPECT_EQ(all.check("bound.high=20").old_value, "10");
  EXPECT_EQ(all.check("bound.low=15").number, 2U);
  EXPECT_THAT(error_of(all, "bound.high=12"), HasSubstr("above the lower one"));
}

/// A script's parameters are one list: unnamed ones stay, and an exception in its `change` is the reply.
TEST(Changes, of_scripts_are_tried_first_and_keep_other_parameters) {
  if (!takt::test::python_has_numpy()) GTEST_SKIP() << "no numpy";
  const takt::test::TemporaryFolder folder;
  const std::string script = folder.file("own.py", R"(
class Scale:
    def __init__(self, gain=1, offset=0, mode='a'):
        pass
    def __call__(self, x):
        return x
    def change(self, gain=1, offset=0, mode='a'):
        if gain < 0:
            raise ValueError(f'a gain of {gain} with offset {offset} cannot be')
)");
  Changes all(load(R"(sources:
  s: {type: synthetic, element: float32, axes: [time=64, channel=4], rate: 10 Hz}
tasks:
  own: {kernel: python, input: s, file: )" +
                   script + R"(, function: Scale, parameters: [gain=2, offset=5], interpreter: )" +
                   takt::test::python + R"(}
sinks:
  o: {type: 'null', input: own}
)"));
  EXPECT_THAT(error_of(all, "own.parameters=[gain=-1]"),
              HasSubstr("own.py:9: ValueError: a gain of -1 with offset 5 cannot be"));
  const Change first = all.check("own.parameters=[gain=3]");
  EXPECT_EQ(first.value, "[offset=5, gain=3]");
  EXPECT_EQ(first.old_value, "[gain=2, offset=5]");
  EXPECT_THAT(all.check("own.parameters=[mode=b, offset=7]").texts,
              ElementsAre("gain=3", "mode=b", "offset=7"));
  EXPECT_THAT(error_of(all, "own.parameters=[gian=3]"), HasSubstr("did you mean 'gain'?"));
  EXPECT_THAT(all.check("own.parameters=[]").texts, ElementsAre());
}

TEST(Changes, never_change_the_type_of_frames) {
  Changes all(load(R"(sources:
  s: {type: synthetic, element: float32, axes: [time=64, channel=4], rate: 10 Hz}
tasks:
  two: {kernel: select, input: s, axis: channel, first: 1, count: 2}
sinks:
  o: {type: 'null', input: two}
)"));
  EXPECT_EQ(all.check("two.first=2").old_value, "1");
  EXPECT_THAT(error_of(all, "two.first=3"), HasSubstr("exceed axis 'channel' of"));
  EXPECT_THAT(error_of(all, "two.count=1"), HasSubstr("must not change"));
}

/// A filter of another length would make UTC jump between two frames of an epoch.
TEST(Changes, never_move_the_time_of_frames) {
  Changes all(load(R"(sources:
  s: {type: synthetic, element: float32, axes: [time=64, channel=4], rate: 10 Hz}
tasks:
  smooth: {kernel: fir, input: s, coefficients: [0.5, 0.25, 0.25]}
sinks:
  o: {type: 'null', input: smooth}
)"));
  EXPECT_EQ(all.check("smooth.coefficients=[0.25, 0.5, 0.25]").number, 1U);
  // Two more taps delay by one sample of 1/640 s.
  EXPECT_THAT(error_of(all, "smooth.coefficients=[0, 0.25, 0.5, 0.25, 0]"),
              HasSubstr("begin 1.5625 ms earlier than before (UTC must not jump within an epoch): start a "
                        "new run instead"));
  EXPECT_THAT(error_of(all, "smooth.coefficients=[1]"), HasSubstr("1.5625 ms later"));
}

}  // namespace
}  // namespace takt::pipeline::test
