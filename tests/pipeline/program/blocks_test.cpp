/// Tests that blocks of frames are cut and assembled by their indices.

#include "pipeline/program/blocks.hpp"

#include <cstring>
#include <random>

#include <gmock/gmock.h>

namespace takt::pipeline::test {
namespace {

FrameType block_frames(const std::vector<std::size_t>& sizes) {
  FrameType type;
  type.element = ElementType::int16;
  for (const std::size_t size : sizes) type.axes.push_back({"axis", size, {}});
  return type;
}

/// Returns all elements of a box, in order, each with its number in the whole frame.
std::vector<std::int16_t> elements_of(const FrameType& type, const Box& box) {
  std::vector<std::int16_t> elements;
  const std::size_t count = type.element_count();
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rest = i;
    bool is_in = true;
    for (std::size_t d = type.axes.size(); d-- > 0;) {
      const std::size_t index = rest % type.axes[d].size;
      rest /= type.axes[d].size;
      is_in = is_in && index >= box[d].begin && index < box[d].end;
    }
    if (is_in) elements.push_back(static_cast<std::int16_t>(i));
  }
  return elements;
}

TEST(Blocks, any_distribution_can_become_any_other_one) {
  std::mt19937 random(3);
  const auto upto = [&](std::size_t most) { return 1 + random() % most; };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::size_t> sizes(upto(4));
    for (std::size_t& size : sizes) size = upto(7);
    const FrameType type = block_frames(sizes);
    const std::size_t from_axis = random() % sizes.size(), to_axis = random() % sizes.size();
    const std::size_t senders = upto(sizes[from_axis]), receivers = upto(sizes[to_axis]);
    for (std::size_t j = 0; j < receivers; ++j) {
      const Box wanted = box_of(type, to_axis, receivers, j);
      std::vector<Box> pieces;
      std::vector<std::vector<std::int16_t>> memory;
      std::vector<FrameView> inputs;
      for (std::size_t i = 0; i < senders; ++i) {
        const Box made = box_of(type, from_axis, senders, i), part = intersection(made, wanted);
        if (part.empty()) continue;
        // Whole blocks, or only the needed part of them.
        pieces.push_back(round % 2 == 0 ? made : part);
        memory.push_back(elements_of(type, pieces.back()));
      }
      for (const auto& piece : memory) inputs.push_back({nullptr, std::as_bytes(std::span(piece))});
      const FrameType result_type = type_of(type, wanted);
      std::vector<std::int16_t> result(result_type.element_count(), -1);
      const std::unique_ptr<Kernel> kernel = redistribution_kernel(type, wanted, pieces);
      EXPECT_EQ(kernel->configure({}), result_type);
      EXPECT_EQ(kernel->process(inputs, {nullptr, std::as_writable_bytes(std::span(result))}),
                Outcome::produced);
      EXPECT_EQ(result, elements_of(type, wanted))
          << type.to_string() << " from " << senders << " on axis " << from_axis << " to " << j << " of "
          << receivers << " on axis " << to_axis;
    }
  }
}

TEST(Blocks, blocks_cover_an_axis_once_and_differ_by_at_most_one) {
  for (std::size_t size = 1; size < 40; ++size)
    for (std::size_t members = 1; members <= size; ++members) {
      std::size_t end = 0;
      for (std::size_t member = 0; member < members; ++member) {
        const Block block = block_of(size, members, member);
        EXPECT_EQ(block.begin, end);
        end = block.end;
        EXPECT_GE(block.size(), size / members);
        EXPECT_LE(block.size(), (size + members - 1) / members);
      }
      EXPECT_EQ(end, size);
    }
}

TEST(Blocks, coordinates_follow_their_indices) {
  FrameType type = block_frames({2, 5});
  type.axes[1].coordinates = {1, 2, 3, 4, 5};
  EXPECT_EQ(type_of(type, box_of(type, 1, 2, 1)).axes[1].coordinates, (std::vector<double>{3, 4, 5}));
}

}  // namespace
}  // namespace takt::pipeline::test
