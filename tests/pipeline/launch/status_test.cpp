/// Can what a rank says, or somebody in its place, harm whoever listens?

#include "pipeline/launch/status.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"

namespace takt::pipeline {
namespace {

RankStatus full_status() {
  RankStatus status{.rank = 1, .host = "a", .pid = 7, .activity = "running task 'fft'", .compute_ns = 5};
  status.waits = {{0, 3, 4}};
  status.stages.push_back({.stage = 1, .runs = 100, .given = 99, .total_ns = 1000, .time = {{10, 100}}});
  status.sources.push_back({0, {.ingested = 101, .details = {{"packets", "", 12}}}, {"small buffer"}});
  status.sinks.push_back({2, 100, 100, 1, 100, 5, 6, {{10, 100}}, "/tmp/out", {}});
  return status;
}

TEST(RankStatus, comes_back_from_its_text) {
  const std::string text = to_text(full_status());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(to_text(status_from_text(text)), text);
}

TEST(RankStatus, is_refused_where_it_is_none) {
  for (const char* text : {"", "{}", "[]", "7", "{\"rank\": 1}", "\xff\xfe", "{\"rank\": \"one\"}"})
    EXPECT_THROW((void)status_from_text(text), ConfigError) << text;
}

TEST(RankStatus, is_read_or_refused_whatever_became_of_its_text) {
  const std::string text = to_text(full_status());
  Random random(1);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = text;
    for (std::uint64_t flips = 1 + random.below(3); flips > 0; --flips)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) damaged.resize(random.below(damaged.size()));
    try {
      (void)status_from_text(damaged);
    } catch (const ConfigError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace takt::pipeline
