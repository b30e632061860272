/// Tests the output of a recursive filter near missing samples.

#include <cmath>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace kernels_iir_test {

const float nan = std::nanf("");

TEST(Iir, outputs_all_received_samples_when_least_is_0) {
  for (const char* order : {"1", "2", "3", "4", "7"})
    for (std::size_t gap = 1; gap < 12; ++gap) {
      KernelBench bench("iir", {{"low", "1.4 Hz"}, {"high", "4.2 Hz"}, {"order", order}, {"least", "0"}},
                        {[] {
                          FrameType type = frame_type(ElementType::float32, {{"time", 14}});
                          type.rate_hz = 1;
                          return type;
                        }()});
      const std::span<float> values = bench.input().as<float>();
      for (std::size_t t = 0; t < values.size(); ++t) values[t] = t > 0 && t <= gap ? nan : 1;
      bench.input().header() = {.parts = 1, .missing_parts = 1};
      ASSERT_EQ(bench.process(), Outcome::produced);
      const std::span<float> results = bench.output().as<float>();
      for (std::size_t t = 0; t < results.size(); ++t)
        EXPECT_EQ(std::isnan(results[t]), std::isnan(values[t])) << order << " " << gap << " " << t;
    }
}

}  // namespace kernels_iir_test
}  // namespace takt::pipeline::test
