/// Tests that a group of ranks computes the result of one rank.
///
/// Members are threads. Each gets its blocks of the inputs by plain
/// index arithmetic, independent of the redistribution in a run.
/// numpy_reference_test.cpp compares the result of one rank with numpy.

#include <cmath>
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "pipeline/costs/thread_group.hpp"
#include "tests/pipeline/kernels/kernel_bench.hpp"

namespace takt::pipeline::test {
namespace {

/// Returns the bytes of a member: these kernels divide the first axis of all inputs and of the output.
std::pair<std::size_t, std::size_t> bytes_of_member(const FrameType& type, std::size_t members,
                                                    std::size_t member) {
  const std::size_t rows = type.axes.front().size, row = type.size().count / rows;
  return {rows * member / members * row, rows * (member + 1) / members * row};
}

class Whole {
 public:
  Whole(std::string kernel, Written written, std::vector<FrameType> inputs)
      : kernel_(std::move(kernel)), written_(std::move(written)), types_(std::move(inputs)) {
    std::mt19937 random(7);
    for (const FrameType& type : types_) {
      FrameMemory& frame = frames_.emplace_back(type);
      std::normal_distribution<double> normal;
      if (type.element == ElementType::float64)
        for (double& value : frame.as<double>()) value = normal(random);
      else
        for (float& value : frame.as<float>()) value = static_cast<float>(normal(random));
    }
  }

  /// Returns the result of this number of members; one member runs without a group.
  [[nodiscard]] std::vector<std::byte> by(std::size_t members) {
    std::vector<std::byte> result;
    if (members == 1) {
      work(nullptr, result);
    } else {
      run_as_group(members, [&](Group& group) { work(&group, result); });
    }
    return result;
  }

 private:
  void work(Group* group, std::vector<std::byte>& result) {
    const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
    const KernelKind& kind = *registry.find(kernel_);
    const std::unique_ptr<Kernel> kernel = kind.make(make_parameters(kind.parameters, written_));
    const FrameType output_type = kernel->configure(types_);
    if (group != nullptr) {
      EXPECT_EQ(kernel->distribution()->inputs, std::vector<std::size_t>(types_.size(), 0));
      EXPECT_EQ(kernel->distribution()->output, 0U);
      kernel->join(*group);
    }
    const std::size_t members = group != nullptr ? group->size() : 1, member = group ? group->rank() : 0;
    // Copies, so that sanitizers find a member that reads beyond its block.
    std::vector<FrameMemory> blocks;
    std::vector<FrameView> inputs;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const auto [begin, end] = bytes_of_member(types_[i], members, member);
      FrameType bytes = frame_type(ElementType::uint8, {{"byte", end - begin}});
      FrameMemory& block = blocks.emplace_back(bytes);
      std::memcpy(block.buffer().bytes.data(), frames_[i].view().bytes.data() + begin, end - begin);
    }
    for (const FrameMemory& block : blocks) inputs.push_back(block.view());
    const auto [begin, end] = bytes_of_member(output_type, members, member);
    FrameMemory output(frame_type(ElementType::uint8, {{"byte", end - begin}}));
    // Twice: the second frame must not depend on the first one.
    for (int frame = 0; frame < 2; ++frame)
      EXPECT_EQ(kernel->process(inputs, output.buffer()), Outcome::produced);
    const static auto mutex = std::make_unique<std::mutex>();
    const std::scoped_lock lock(*mutex);
    result.resize(output_type.size().count);
    std::memcpy(result.data() + begin, output.view().bytes.data(), end - begin);
  }

  std::string kernel_;
  Written written_;
  std::vector<FrameType> types_;
  std::vector<FrameMemory> frames_;
};

TEST(GroupKernels, multiply_matrices_bit_for_bit_like_one_rank) {
  for (const ElementType element : {ElementType::float32, ElementType::float64})
    for (const auto& [rows, inner, columns] :
         {std::tuple(5U, 5U, 5U), {12U, 8U, 3U}, {7U, 23U, 33U}, {64U, 5U, 129U}, {33U, 300U, 70U}}) {
      Whole product("matrix_product", {},
                    {frame_type(element, {{"row", rows}, {"inner", inner}}),
                     frame_type(element, {{"inner", inner}, {"column", columns}})});
      const std::vector<std::byte> alone = product.by(1);
      for (std::size_t members = 2; members <= std::min(rows, inner) && members <= 5; ++members)
        EXPECT_EQ(product.by(members), alone)
            << rows << " x " << inner << " x " << columns << " by " << members;
    }
}

TEST(GroupKernels, iterate_bit_for_bit_like_one_rank) {
  for (const std::size_t size : {3U, 8U, 19U, 64U})
    for (const char* const iterations : {"1", "2", "9"}) {
      Whole iteration("power_iteration", {{"iterations", iterations}},
                      {frame_type(ElementType::float32, {{"row", size}, {"column", size}})});
      const std::vector<std::byte> alone = iteration.by(1);
      for (std::size_t members = 2; members <= std::min<std::size_t>(size, 5); ++members)
        EXPECT_EQ(iteration.by(members), alone) << size << " by " << members;
    }
}

TEST(GroupKernels, transform_like_one_rank_within_rounding) {
  // Divisors far from the square root, blocks that begin within rows, more members than any divisor.
  for (const std::size_t size : {4U, 6U, 30U, 64U, 94U, 360U, 1000U, 4096U, 14406U}) {
    Whole transform("large_fft", {}, {frame_type(ElementType::complex_float32, {{"time", size}})});
    const std::vector<std::byte> alone_bytes = transform.by(1);
    const std::span<const float> alone(reinterpret_cast<const float*>(alone_bytes.data()), 2 * size);
    std::size_t rows = 1;
    for (std::size_t divisor = 2; divisor * divisor <= size; ++divisor)
      if (size % divisor == 0) rows = divisor;
    for (std::size_t members = 2; members <= std::min<std::size_t>(rows, 7); ++members) {
      const std::vector<std::byte> bytes = transform.by(members);
      const std::span<const float> together(reinterpret_cast<const float*>(bytes.data()), 2 * size);
      float farthest = 0;
      for (std::size_t i = 0; i < 2 * size; ++i)
        farthest = std::max(farthest, std::abs(together[i] - alone[i]));
      // Noise of variance 1 stays so: a few units in the last place, for each of log N stages.
      EXPECT_LT(farthest, 3e-6F * std::log2(static_cast<float>(size)) + 1e-6F) << size << " by " << members;
    }
  }
}

TEST(GroupKernels, multiply_units_of_matrices) {
  const auto unit = [](const char* first, const char* second) {
    FrameType a = frame_type(ElementType::float32, {{"a", 2}, {"b", 3}}), b = a;
    std::swap(b.axes[0], b.axes[1]);
    a.unit = first;
    b.unit = second;
    return KernelBench("matrix_product", {}, {a, b}).output_type().unit;
  };
  EXPECT_EQ(unit("K", "K"), "K^2");
  EXPECT_EQ(unit("K", "m/s"), "K m/s");
  EXPECT_EQ(unit("", "K"), "K");
  EXPECT_EQ(unit("", ""), "");
}

TEST(GroupKernels, refuse_mismatched_inputs) {
  const auto refusal = [](const std::string& kernel, std::vector<FrameType> inputs) {
    try {
      KernelBench(kernel, {}, std::move(inputs));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  using ::testing::HasSubstr;
  const FrameType matrix = frame_type(ElementType::float32, {{"a", 4}, {"b", 6}});
  EXPECT_THAT(refusal("matrix_product", {matrix, matrix}),
              HasSubstr("expected 6 rows, as many as the first input has columns (float32[a=4][b=6]), got "
                        "float32[a=4][b=6]"));
  EXPECT_THAT(refusal("matrix_product", {matrix, frame_type(ElementType::float64, {{"b", 6}, {"c", 2}})}),
              HasSubstr("expected float32 like the first input, got float64"));
  EXPECT_THAT(refusal("matrix_product", {frame_type(ElementType::int16, {{"a", 4}, {"b", 6}}), matrix}),
              HasSubstr("expected float32|float64 with two axes, got int16"));
  EXPECT_THAT(refusal("power_iteration", {matrix}), HasSubstr("two axes of one size, got float32[a=4][b=6]"));
  EXPECT_THAT(refusal("large_fft", {frame_type(ElementType::complex_float32, {{"time", 63}})}),
              HasSubstr("an even number of samples"));
  EXPECT_THAT(refusal("large_fft", {matrix}), HasSubstr("complex_float32 with one axis"));
  EXPECT_EQ(refusal("matrix_product", {matrix, frame_type(ElementType::float32, {{"b", 6}, {"a", 4}})}),
            "taken");
}

TEST(ThreadGroup, rethrows_the_first_failure_and_releases_the_others) {
  for (std::size_t failing = 0; failing < 3; ++failing) {
    try {
      run_as_group(3, [&](Group& group) {
        std::vector<std::byte> memory(3);
        BlockSharing sharing(group, memory, 3);
        sharing.run();
        if (group.rank() == failing) throw ConfigError("no more");
        sharing.run();
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(), "no more");
    }
  }
}

}  // namespace
}  // namespace takt::pipeline::test
