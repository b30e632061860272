#include "core/copy_out.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace takt {
namespace {

/// Copies from and to any offset in a cache line.
template <class Copy>
void expect_all_bytes_and_no_others(Copy copy) {
  constexpr std::size_t around = 70;
  for (const std::size_t bytes : {0U, 1U, 63U, 64U, 130U, 2047U, 2048U, 2049U, 100'003U})
    for (const std::size_t offset : {0U, 5U, 16U, 48U, 63U}) {
      std::vector<unsigned char> from(bytes + 3), to(bytes + 2 * around, 0xEE);
      std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
      std::vector<unsigned char> expected = to;
      std::copy(from.begin() + 3, from.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
      copy(to.data() + offset, from.data() + 3, bytes);
      EXPECT_EQ(to, expected) << bytes << " bytes from " << offset;
    }
}

TEST(CopyOut, CopiesAllBytesAndNoOthers) {
  expect_all_bytes_and_no_others(copy_out);
}

TEST(CopyPastCaches, CopiesAllBytesAndNoOthers) {
  expect_all_bytes_and_no_others([](void* to, const void* from, std::size_t bytes) {
    copy_past_caches(to, from, bytes);
    end_copies_past_caches();
  });
}

}  // namespace
}  // namespace takt
