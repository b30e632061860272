#include "core/copy_out.hpp"

#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(CopyOut, CopiesAllBytesAndNoOthers) {
  for (const std::size_t bytes : {0U, 1U, 63U, 2047U, 2048U, 2049U, 100'003U}) {
    std::vector<unsigned char> from(bytes + 3), to(bytes + 10, 0xEE);
    std::iota(from.begin(), from.end(), static_cast<unsigned char>(1));
    copy_out(to.data() + 5, from.data() + 3, bytes);
    EXPECT_TRUE(std::equal(from.begin() + 3, from.end(), to.begin() + 5)) << bytes;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(to[i], 0xEE) << bytes;
      EXPECT_EQ(to[to.size() - 1 - i], 0xEE) << bytes;
    }
  }
}

}  // namespace
}  // namespace takt
