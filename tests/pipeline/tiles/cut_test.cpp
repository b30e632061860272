/// Tests that tiles contain exactly the elements and flags of their indices.

#include "pipeline/tiles/cut.hpp"

#include <random>

#include <gtest/gtest.h>

#include "core/copy_out.hpp"

namespace takt::pipeline::test {
namespace {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameType;

std::size_t below(std::mt19937& random, std::size_t count) {
  return random() % count;
}

/// Returns axes of up to 12 indices, of which the cut one has 12, and flags for divisors of their sizes.
FrameType random_type(std::mt19937& random, std::size_t cut_axis) {
  FrameType type{.element = ElementType::int16};
  const std::size_t axes = cut_axis + 1 + below(random, 3);
  for (std::size_t i = 0; i < axes; ++i) {
    Axis axis{"a" + std::to_string(i), i == cut_axis ? 12 : 1 + below(random, 6), {}};
    for (std::size_t k = 0; k < axis.size; ++k) axis.coordinates.push_back(static_cast<double>(100 * i + k));
    type.axes.push_back(axis);
  }
  const std::size_t flagged = below(random, axes + 1);
  for (std::size_t i = 0; i < flagged; ++i) {
    const std::size_t size = type.axes[i].size;
    std::size_t parts = 1 + below(random, size);
    while (size % parts != 0) --parts;
    type.parts.push_back(parts);
  }
  return type;
}

/// Returns the index along each axis of the element with this number.
std::vector<std::size_t> indices(const std::vector<std::size_t>& sizes, std::size_t number) {
  std::vector<std::size_t> result(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0; number /= sizes[i]) result[i] = number % sizes[i];
  return result;
}

std::size_t number(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& indices) {
  std::size_t result = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) result = result * sizes[i] + indices[i];
  return result;
}

std::vector<std::size_t> sizes_of(const FrameType& type) {
  std::vector<std::size_t> sizes;
  for (const Axis& axis : type.axes) sizes.push_back(axis.size);
  return sizes;
}

std::vector<std::size_t> parts_of(const FrameType& type) {
  std::vector<std::size_t> parts = type.parts;
  parts.resize(type.axes.size(), 1);
  return parts;
}

class Cuts : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Cuts, extract_the_elements_of_their_indices_and_put_them_back) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  int cuts = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t axis = below(random, 3);
    const FrameType type = random_type(random, axis);
    const Cut cut{axis, 1 + below(random, 12)};
    if (!can_cut(type, cut)) continue;
    ++cuts;
    std::vector<std::byte> whole(type.size().count);
    for (std::byte& byte : whole) byte = static_cast<std::byte>(random());
    const TileCopier copier(type, cut);
    std::vector<std::byte> again(whole.size()), in_memory(whole.size());
    for (std::size_t t = 0; t < cut.tiles; ++t) {
      const FrameType tile = tile_type(type, cut, t);
      ASSERT_EQ(copier.bytes(), tile.size().count);
      std::vector<std::byte> bytes(copier.bytes());
      copier.out_of(whole, t, bytes.data());
      const auto* const elements = reinterpret_cast<const std::int16_t*>(bytes.data());
      for (std::size_t i = 0; i < tile.element_count(); ++i) {
        std::vector<std::size_t> at = indices(sizes_of(tile), i);
        at[axis] += t * tile.axes[axis].size;
        ASSERT_EQ(elements[i],
                  reinterpret_cast<const std::int16_t*>(whole.data())[number(sizes_of(type), at)]);
        ASSERT_EQ(tile.axes[axis].coordinates[at[axis] - t * tile.axes[axis].size],
                  type.axes[axis].coordinates[at[axis]]);
        if (type.parts.empty()) continue;
        // The flag of the element's part, in the tile and in the frame.
        std::vector<std::size_t> in_tile = indices(sizes_of(tile), i), in_frame = at;
        for (std::size_t d = 0; d < at.size(); ++d) {
          in_tile[d] = in_tile[d] * parts_of(tile)[d] / tile.axes[d].size;
          in_frame[d] = in_frame[d] * parts_of(type)[d] / type.axes[d].size;
        }
        ASSERT_EQ(bytes[tile.data_size().count + number(parts_of(tile), in_tile)],
                  whole[type.data_size().count + number(parts_of(type), in_frame)]);
      }
      copier.into(again, t, bytes.data());
      copier.into_past_caches(in_memory, t, bytes.data());
      if (copier.is_contiguous()) {
        ASSERT_TRUE(std::equal(bytes.begin(), bytes.end(),
                               whole.begin() + static_cast<std::ptrdiff_t>(copier.offset(t))));
      }
    }
    end_copies_past_caches();
    ASSERT_EQ(again, whole);
    ASSERT_EQ(in_memory, whole);
  }
  EXPECT_GT(cuts, 40);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Cuts, ::testing::Range<std::size_t>(0, 5));

TEST(Cut, refuses_unequal_tiles_and_flags_for_parts_of_two_tiles) {
  FrameType type{.axes = {{"beamlet", 12, {}}}};
  EXPECT_TRUE(can_cut(type, {0, 4}));
  EXPECT_FALSE(can_cut(type, {0, 5}));
  EXPECT_FALSE(can_cut(type, {0, 0}));
  EXPECT_FALSE(can_cut(type, {1, 2}));
  type.parts = {4};
  EXPECT_TRUE(can_cut(type, {0, 2}));
  EXPECT_TRUE(can_cut(type, {0, 12}));
  EXPECT_FALSE(can_cut(type, {0, 3}));
  EXPECT_FALSE(can_cut(type, {0, 6}));
}

TEST(Cut, detects_when_tiles_are_copied_by_whole_lines) {
  const auto copies_lines = [](std::size_t rows, std::size_t columns, Cut cut) {
    return TileCopier(
               {.element = ElementType::float32, .axes = {{"time", rows, {}}, {"channel", columns, {}}}}, cut)
        .copies_whole_lines();
  };
  EXPECT_TRUE(copies_lines(4, 64, {1, 4}));
  // Parts of lines; in one piece, which is not copied.
  EXPECT_FALSE(copies_lines(4, 32, {1, 4}));
  EXPECT_FALSE(copies_lines(4, 72, {1, 4}));
  EXPECT_FALSE(copies_lines(4, 64, {0, 4}));
}

}  // namespace
}  // namespace takt::pipeline::test
