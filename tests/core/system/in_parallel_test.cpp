#include "core/system/in_parallel.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <sched.h>

#include "core/system/allowed_processors.hpp"

namespace takt {
namespace {

using ::testing::ThrowsMessage;

/// On all processors, and on one, where the pieces run one after the other.
TEST(InParallel, executes_all_pieces_and_rethrows_the_first_error) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (const bool is_alone : {false, true}) {
    if (is_alone) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(static_cast<int>(allowed_processors().front()), &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    }
    for (const bool is_long : {false, true}) {
      int a = 0, b = 0, c = 0;
      in_parallel_if(is_long, {[&] { a += 1; }, [&] { b += 2; }, [&] { c += 3; }});
      EXPECT_EQ(a, 1);
      EXPECT_EQ(b, 2);
      EXPECT_EQ(c, 3);
    }
    const auto fails = [](const char* what) { return [what] { throw std::runtime_error(what); }; };
    bool is_done = false;
    EXPECT_THAT(
        [&] {
          in_parallel({fails("first"), [&] { is_done = true; }, fails("last")});
        },
        ThrowsMessage<std::runtime_error>("first"));
    EXPECT_TRUE(is_done);
    in_parallel({});
  }
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace takt
