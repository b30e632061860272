#include "schedulers/baseline/cut_jobs.hpp"

#include <algorithm>
#include <functional>

namespace takt::schedulers {

Time CutJobs::most_done(std::span<const Job> jobs_by_head, Time limit, std::size_t machines) {
  if (machines == 0 || jobs_by_head.empty()) return Time{0};
  ends_.clear();
  for (const Job& job : jobs_by_head) ends_.push_back(limit - job.tail);
  std::ranges::sort(ends_);
  open_.clear();
  std::size_t begun = 0, over = 0;
  Time now{0}, done{0};
  for (;;) {
    if (open_.empty()) {
      if (begun == jobs_by_head.size()) return done;
      now = std::max(now, jobs_by_head[begun].head);
    }
    for (; begun < jobs_by_head.size() && jobs_by_head[begun].head <= now; ++begun) {
      open_.emplace_back(limit - jobs_by_head[begun].tail, jobs_by_head[begun].work);
      std::ranges::push_heap(open_, std::greater{});
    }
    while (over < ends_.size() && ends_[over] <= now) ++over;
    if (over == ends_.size()) return done;
    Time until = ends_[over];
    if (begun < jobs_by_head.size()) until = std::min(until, jobs_by_head[begun].head);
    Time room = static_cast<Time::rep>(std::min(machines, begun - over)) * (until - now);
    while (!open_.empty() && (room > Time{0} || open_.front().first <= now)) {
      auto& [end, left] = open_.front();
      if (end > now) {
        const Time piece = std::min(room, left);
        done += piece;
        room -= piece;
        left -= piece;
        if (left > Time{0}) break;
      }
      std::ranges::pop_heap(open_, std::greater{});
      open_.pop_back();
    }
    now = until;
  }
}

}  // namespace takt::schedulers
