/// Tests that nested and successive activities receive requests to stop.

#include "pipeline/launch/jobs/stop_requests.hpp"

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(StopRequests, also_end_activities_that_begin_later) {
  {
    const StopRequests search;
    ::raise(SIGINT);
    ::raise(SIGUSR2);
    {
      const StopRequests trial;
      EXPECT_EQ(trial.count(), 1);
      EXPECT_EQ(trial.triggers(), 0);
      ::raise(SIGTERM);
      ::raise(SIGUSR2);
      EXPECT_EQ(trial.count(), 2);
      EXPECT_EQ(trial.triggers(), 1);
    }
    EXPECT_EQ(search.count(), 2);
    EXPECT_EQ(search.triggers(), 2);
  }
  const StopRequests another;
  EXPECT_EQ(another.count(), 0);
  EXPECT_EQ(another.triggers(), 0);
}

}  // namespace
}  // namespace takt::pipeline
