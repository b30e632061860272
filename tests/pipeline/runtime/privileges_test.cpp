/// Tests that a run names what it asked for and did not get.

#include "pipeline/runtime/privileges.hpp"

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Pipeline bound_pipeline(const std::string& samples, const std::string& pin) {
  return load("sources: {s: {type: synthetic, element: float32, axes: [time=" + samples +
              "]}}\nsinks: {o: {type: 'null', input: s}}\ndeployment: {pin: " + pin + "}\n");
}

TEST(Privileges, that_a_rank_asked_for_and_did_not_get_are_named_with_a_remedy) {
  const Pipeline small = bound_pipeline("1000", "none"), bound = bound_pipeline("1000", "auto");
  EXPECT_THAT(unmet_requests(small, {.is_bound = false, .huge_pages = "never"}, "dish"), IsEmpty());
  EXPECT_THAT(unmet_requests(bound, {.is_bound = true, .huge_pages = "never"}, "dish"), IsEmpty());
  EXPECT_THAT(unmet_requests(bound, {.is_bound = false, .huge_pages = "madvise"}, "dish"),
              ElementsAre(HasSubstr("'pin: auto': host 'dish' has fewer cores than ranks")));
  // Named processors are refused where they are bound, and no request is none that was not met.
  EXPECT_THAT(unmet_requests(bound_pipeline("1000", "[0]"), {}, "dish"), IsEmpty());
  // 2 MiB of floats, and one sample less.
  EXPECT_THAT(unmet_requests(bound_pipeline("524288", "none"), {.huge_pages = "never"}, "dish"),
              ElementsAre(HasSubstr("no huge pages for frames of 2 MiB and more: echo madvise")));
  EXPECT_THAT(unmet_requests(bound_pipeline("524287", "none"), {.huge_pages = "never"}, "dish"), IsEmpty());
  for (const char* const provided : {"always", "madvise", ""})
    EXPECT_THAT(unmet_requests(bound_pipeline("524288", "none"), {.huge_pages = provided}, "dish"),
                IsEmpty());
}

TEST(Privileges, of_this_host_are_read_from_the_kernel) {
  EXPECT_THAT(given_on_this_host(true).huge_pages, ::testing::AnyOf("always", "madvise", "never", ""));
  EXPECT_TRUE(given_on_this_host(true).is_bound);
}

}  // namespace
}  // namespace takt::pipeline::test
