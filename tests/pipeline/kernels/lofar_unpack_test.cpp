/// Tests that every sample of a station's packets is unpacked to its place.

#include <complex>

#include <gmock/gmock.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ThrowsMessage;
using Complex = std::complex<float>;

FrameType packets(ElementType element, std::size_t packet_count, std::size_t beamlets) {
  return frame_type(element,
                    {{"packet", packet_count}, {"beamlet", beamlets}, {"time", 16}, {"polarisation", 2}});
}

template <class Integer>
void expect_every_sample_in_its_place(ElementType element) {
  // Neither is a multiple of the other, nor of any block size.
  constexpr std::size_t packet_count = 3, beamlets = 21;
  KernelBench bench("lofar_unpack", {}, {packets(element, packet_count, beamlets)});
  const auto in = bench.input().as<Integer>();
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<Integer>(i * 37 - 100);
  ASSERT_EQ(bench.process(), Outcome::produced);
  EXPECT_EQ(bench.output_type().to_string(), "complex_float32[beamlet=21][time=48][polarisation=2]");
  const auto out = bench.output().as<Complex>();
  for (std::size_t b = 0; b < beamlets; ++b)
    for (std::size_t p = 0; p < packet_count; ++p)
      for (std::size_t t = 0; t < 16; ++t)
        for (std::size_t f = 0; f < 2; ++f) {
          const std::size_t from = 2 * (((p * beamlets + b) * 16 + t) * 2 + f);
          ASSERT_EQ(out[(b * packet_count * 16 + p * 16 + t) * 2 + f],
                    Complex(static_cast<float>(in[from]), static_cast<float>(in[from + 1])))
              << b << ' ' << p << ' ' << t << ' ' << f;
        }
}

TEST(LofarUnpack, puts_8_bit_samples_in_their_place) {
  expect_every_sample_in_its_place<std::int8_t>(ElementType::complex_int8);
}

TEST(LofarUnpack, puts_16_bit_samples_in_their_place) {
  expect_every_sample_in_its_place<std::int16_t>(ElementType::complex_int16);
}

TEST(LofarUnpack, keeps_frequencies_and_times) {
  FrameType type = packets(ElementType::complex_int8, 2, 1);
  type.axes[0].coordinates = {0, 100};
  type.axes[1].coordinates = {150e6};
  for (int t = 0; t < 16; ++t) type.axes[2].coordinates.push_back(t);
  type.rate_hz = 50;
  type.unit = "counts";
  const KernelBench bench("lofar_unpack", {}, {type});
  const FrameType& output = bench.output_type();
  EXPECT_EQ(output.axes[0].coordinates, std::vector<double>{150e6});
  ASSERT_EQ(output.axes[1].coordinates.size(), 32U);
  EXPECT_EQ(output.axes[1].coordinates[15], 15);
  EXPECT_EQ(output.axes[1].coordinates[17], 101);
  EXPECT_EQ(output.rate_hz, 50);
  EXPECT_EQ(output.unit, "counts");
}

TEST(LofarUnpack, refuses_types_other_than_packets) {
  EXPECT_THAT(
      [] {
        KernelBench("lofar_unpack", {}, {frame_type(ElementType::uint8, {{"time", 4}})});
      },
      ThrowsMessage<InputError>(
          "expected complex_int8|complex_int16[packet][beamlet][time][polarisation], got "
          "uint8[time=4]"));
}

}  // namespace
}  // namespace takt::pipeline::test
