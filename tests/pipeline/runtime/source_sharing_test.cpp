#include "pipeline/runtime/source_sharing.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(AgreeOnSharing, self_schedules_where_no_messages_pass_between_ranks) {
  const SharingAgreement agreement = agree_on_sharing({no_messages, no_messages, no_messages}, {1, 1, 0});
  EXPECT_TRUE(agreement.is_self_scheduled);
  EXPECT_EQ(agreement.reorders, std::nullopt);
}

TEST(AgreeOnSharing, lets_the_rank_reorder_that_receives_all_messages) {
  // Rank 3 has nothing to do.
  const SharingAgreement agreement = agree_on_sharing({1, only_receives, 1, no_messages}, {1, 1, 1, 0});
  EXPECT_TRUE(agreement.is_self_scheduled);
  EXPECT_EQ(agreement.reorders, 1);
}

TEST(AgreeOnSharing, takes_turns_where_messages_go_to_several_ranks) {
  EXPECT_FALSE(agree_on_sharing({1, only_receives, 3, only_receives}, {1, 0, 1, 0}).is_self_scheduled);
  EXPECT_FALSE(agree_on_sharing({1, other_traffic, only_receives}, {1, 1, 0}).is_self_scheduled);
}

/// It would produce frames that no rank puts into their order.
TEST(AgreeOnSharing, takes_turns_where_a_rank_runs_the_source_and_sends_nothing) {
  EXPECT_FALSE(agree_on_sharing({1, only_receives, no_messages}, {1, 0, 1}).is_self_scheduled);
}

TEST(AgreeOnSharing, does_not_reorder_frames_of_one_rank) {
  EXPECT_FALSE(agree_on_sharing({1, only_receives}, {1, 0}).is_self_scheduled);
}

}  // namespace
}  // namespace takt::pipeline
