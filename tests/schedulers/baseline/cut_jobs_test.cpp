/// Is the bound for divisible jobs the maximum work of the machines?

#include "schedulers/baseline/cut_jobs.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/random.hpp"

namespace takt::schedulers {
namespace {

/// Pieces of one tick each, matched with the places of each tick by augmenting paths.
class Matching {
 public:
  Matching(std::span<const Job> jobs, Time limit, std::size_t machines) {
    for (Time::rep tick = 0; tick < limit.count(); ++tick) {
      const auto is_open = [&](const Job& job) {
        return job.head.count() <= tick && tick < (limit - job.tail).count();
      };
      const auto open = static_cast<std::size_t>(std::ranges::count_if(jobs, is_open));
      for (std::size_t place = 0; place < std::min(machines, open); ++place) tick_of_.push_back(tick);
    }
    piece_at_.assign(tick_of_.size(), no_piece);
    for (const Job& job : jobs)
      for (Time::rep piece = 0; piece < job.work.count(); ++piece) {
        window_.emplace_back(job.head.count(), (limit - job.tail).count());
        std::vector<bool> tried(tick_of_.size(), false);
        done_ += place(window_.size() - 1, tried) ? 1 : 0;
      }
  }
  [[nodiscard]] Time done() const { return Time(done_); }

 private:
  static constexpr std::size_t no_piece = SIZE_MAX;

  bool place(std::size_t piece, std::vector<bool>& tried) {
    for (std::size_t at = 0; at < tick_of_.size(); ++at) {
      if (tried[at] || tick_of_[at] < window_[piece].first || tick_of_[at] >= window_[piece].second) continue;
      tried[at] = true;
      if (piece_at_[at] != no_piece && !place(piece_at_[at], tried)) continue;
      piece_at_[at] = piece;
      return true;
    }
    return false;
  }

  std::vector<Time::rep> tick_of_;
  std::vector<std::size_t> piece_at_;
  std::vector<std::pair<Time::rep, Time::rep>> window_;
  Time::rep done_ = 0;
};

TEST(CutJobs, equal_a_maximum_matching) {
  Random draw(1);
  CutJobs cut;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Time limit(draw.between(1, 16));
    std::vector<Job> jobs;
    for (std::size_t i = draw.below(6); i > 0; --i) {
      const Job job{Time(draw.between(0, 9)), Time(draw.between(0, 7)), Time(draw.between(0, 9))};
      if (job.head + job.work + job.tail <= limit) jobs.push_back(job);
    }
    std::ranges::stable_sort(jobs, {}, &Job::head);
    for (const std::size_t machines : {0, 1, 2, 3})
      EXPECT_EQ(cut.most_done(jobs, limit, machines), Matching(jobs, limit, machines).done()) << machines;
  }
}

}  // namespace
}  // namespace takt::schedulers
