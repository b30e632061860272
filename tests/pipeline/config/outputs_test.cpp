/// Tests kernels with several outputs: how inputs name them, their stages, and their frames.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>

#include "pipeline/calls/several_outputs.hpp"
#include "tests/pipeline/config/load.hpp"
#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const std::string flagging = R"(sources:
  s: {type: synthetic, element: float32, axes: [time=8, channel=4], rate: 10 Hz}
tasks:
  clean: {kernel: rfi_mask, input: s, method: median_deviation, of: values}
sinks:
)";

std::size_t place(const Pipeline& pipeline, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(pipeline.stages, name, &Stage::name) -
                                  pipeline.stages.begin());
}

const FrameType& type_in(const Pipeline& pipeline, const std::string& name) {
  return pipeline.stages.at(place(pipeline, name)).output;
}

std::vector<std::string> names_in(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Stage& stage : pipeline.stages) names.push_back(stage.name);
  return names;
}

TEST(Outputs, become_stages_when_a_further_one_is_used) {
  const Pipeline both =
      load(flagging + "  v: {type: 'null', input: clean}\n  m: {type: 'null', input: clean.mask}\n");
  EXPECT_THAT(names_in(both), UnorderedElementsAre("s", "clean", "clean.mask", "clean.frames", "v", "m"));
  EXPECT_EQ(type_in(both, "clean.mask").to_string(), "uint8[time=8][channel=4]");
  EXPECT_EQ(type_in(both, "clean.frames").to_string(), "float32[time=8][channel=4]");
  EXPECT_EQ(type_in(both, "clean.frames").rate_hz, 10);
  EXPECT_EQ(type_in(both, "v"), type_in(both, "clean.frames"));

  const Pipeline mask = load(flagging + "  m: {type: 'null', input: clean.mask}\n");
  EXPECT_THAT(names_in(mask), UnorderedElementsAre("s", "clean", "clean.mask", "m"));
  const Pipeline plain = load(flagging + "  v: {type: 'null', input: clean}\n");
  EXPECT_THAT(names_in(plain), UnorderedElementsAre("s", "clean", "v"));
  EXPECT_EQ(type_in(plain, "clean").to_string(), "float32[time=8][channel=4]");
  // The first output has two names.
  const Pipeline named =
      load(flagging + "  v: {type: 'null', input: clean.frames}\n  m: {type: 'null', input: clean.mask}\n");
  EXPECT_THAT(names_in(named), UnorderedElementsAre("s", "clean", "clean.mask", "clean.frames", "v", "m"));
}

TEST(Outputs, with_unknown_names_are_errors_with_the_nearest_name) {
  EXPECT_THAT(errors_in(flagging + "  m: {type: 'null', input: clean.maks}\n"),
              ElementsAre(HasSubstr(
                  "p.yaml:6:28: sink 'm': task 'clean': unknown output 'maks'; did you mean 'mask'?")));
  EXPECT_THAT(errors_in(flagging + "  m: {type: 'null', input: s.mask}\n"),
              testing::Contains(HasSubstr("p.yaml:6:28: sink 'm': source 's' has one output: expected 's'")));
  EXPECT_THAT(errors_in(flagging + "  m: {type: 'null', input: clan.mask}\n"),
              testing::Contains(HasSubstr("unknown input 'clan.mask'")));
}

/// Outputs its number in the first output when it is even, in the second when it is divisible by three.
class Halves final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return type_ = inputs.front(); }
  std::vector<FrameType> further_outputs() override { return {type_}; }
  Outcome process(std::span<const FrameView>, const FrameBuffer&) override {
    ADD_FAILURE() << "process_all is there for several outputs";
    return Outcome::absorbed;
  }
  Outcome process_all(std::span<const FrameView> inputs, const FrameBuffer& output,
                      std::span<FurtherOutput> further) override {
    const std::uint64_t number = inputs.front().header->sequence;
    EXPECT_EQ(further.size(), 1U);
    EXPECT_FALSE(further[0].is_given);
    EXPECT_EQ(further[0].frame.header->sequence, number);
    if (number % 3 == 0) {
      further[0].is_given = true;
      further[0].frame.header->sequence = number / 3;
      std::ranges::fill(further[0].frame.as<float>(), static_cast<float>(-1.0 * static_cast<double>(number)));
    }
    if (number % 2 == 1) return Outcome::absorbed;
    std::ranges::fill(output.as<float>(), static_cast<float>(number));
    return Outcome::produced;
  }
  Outcome finish(const FrameBuffer& output) override {
    std::ranges::fill(output.as<float>(), 99.0F);
    return ++finished_ < 3 ? Outcome::more : Outcome::produced;
  }

 private:
  FrameType type_;
  int finished_ = 0;
};

TEST(Outputs, are_produced_independently) {
  const FrameType type = spectra(4, 3);
  auto own = std::make_unique<Halves>();
  const std::vector<FrameType> outputs{own->configure({&type, 1}), own->further_outputs()[0]};
  const auto kernel = packing_kernel(std::move(own), outputs);
  const std::unique_ptr<Kernel> ports[]{port_kernel(outputs, 0), port_kernel(outputs, 1)};
  FrameMemory input(type), packed(packed_type(outputs, 10)), output(type);
  for (std::uint64_t k = 0; k < 12; ++k) {
    input.header().sequence = k;
    packed.header() = input.header();
    const FrameView in = input.view(), all = packed.view();
    const Outcome outcome = kernel->process({&in, 1}, packed.buffer());
    EXPECT_EQ(outcome == Outcome::produced, k % 2 == 0 || k % 3 == 0) << k;
    if (outcome == Outcome::absorbed) continue;
    const auto expect_given = [&](std::size_t port, bool is_given, double value, std::uint64_t number) {
      EXPECT_EQ(ports[port]->process({&all, 1}, output.buffer()) == Outcome::produced, is_given) << k;
      if (!is_given) return;
      EXPECT_EQ(output.as<float>()[11], static_cast<float>(value));
      EXPECT_EQ(output.header().sequence, number);
    };
    expect_given(0, k % 2 == 0, static_cast<double>(k), k);
    expect_given(1, k % 3 == 0, -1.0 * static_cast<double>(k), k / 3);
  }
  const FrameView all = packed.view();
  EXPECT_EQ(kernel->finish(packed.buffer()), Outcome::more);
  EXPECT_EQ(ports[0]->process({&all, 1}, output.buffer()), Outcome::produced);
  EXPECT_EQ(output.as<float>()[0], 99.0F);
  EXPECT_EQ(ports[1]->process({&all, 1}, output.buffer()), Outcome::absorbed);
}

TEST(Outputs, of_a_mask_flag_the_missing_values_of_the_frames) {
  const Pipeline pipeline =
      load(flagging + "  v: {type: 'null', input: clean}\n  m: {type: 'null', input: clean.mask}\n");
  FrameMemory input(type_in(pipeline, "s")), packed(type_in(pipeline, "clean")),
      mask(type_in(pipeline, "clean.mask")), values(type_in(pipeline, "clean.frames"));
  const std::span<float> from = input.as<float>();
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i % 7) * 0.01F + 1;
  from[5] = 1000;
  from[6] = std::nanf("");
  input.header().missing_parts = 1;
  const FrameView in = input.view(), all = packed.view();
  packed.header() = input.header();
  ASSERT_EQ(pipeline.make_kernel(place(pipeline, "clean"))->process({&in, 1}, packed.buffer()),
            Outcome::produced);
  ASSERT_EQ(pipeline.make_kernel(place(pipeline, "clean.mask"))->process({&all, 1}, mask.buffer()),
            Outcome::produced);
  ASSERT_EQ(pipeline.make_kernel(place(pipeline, "clean.frames"))->process({&all, 1}, values.buffer()),
            Outcome::produced);
  for (std::size_t i = 0; i < from.size(); ++i)
    EXPECT_EQ(mask.as<std::uint8_t>()[i], std::isnan(values.as<float>()[i]) ? 1 : 0);
  EXPECT_EQ(mask.as<std::uint8_t>()[5], 1);
  EXPECT_EQ(mask.as<std::uint8_t>()[6], 1);
  const auto masked = std::accumulate(mask.as<std::uint8_t>().begin(), mask.as<std::uint8_t>().end(), 0.0);
  ASSERT_EQ(type_in(pipeline, "clean.frames").side.size(), 1U);
  EXPECT_EQ(type_in(pipeline, "clean.frames").side[0].name, "masked");
  EXPECT_DOUBLE_EQ(values.header().side[0], masked / 32);
}

}  // namespace
}  // namespace takt::pipeline::test
