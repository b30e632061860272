#include "schedulers/frequency/exact_fo.hpp"

#include <algorithm>

#include "schedulers/bounds/assignment_bound.hpp"
#include "schedulers/bounds/period_bounds.hpp"
#include "schedulers/exact/exact_schedule.hpp"
#include "schedulers/exact/exact_sequences.hpp"
#include "schedulers/frequency/one_copy.hpp"
#include "schedulers/pipelining/pipelined_search.hpp"
#include "schedulers/relay/chain_routes.hpp"
#include "schedulers/relay/lower_set_search.hpp"

namespace takt::schedulers {

namespace {

constexpr std::uint64_t default_effort = 4'000'000;

/// Limit of steps of the search over all schedules. For messages that occupy no processor these are states,
/// each of which takes as long as several steps of other searches. Beyond the states of a second only a
/// quarter is allowed, so that the default effort lasts some seconds.
std::uint64_t steps_of_proof(const Workload& workload, std::uint64_t budget) {
  constexpr std::uint64_t states_of_a_second = 200'000;
  return can_search_sequences(workload) ? std::max(budget / 4, std::min(budget, states_of_a_second)) : budget;
}

/// The best schedule so far, and the bounds.
class Proof {
 public:
  Proof(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
        const FrequencyStarts& starts)
      : machine_(machine),
        options_(options),
        workload_(graph, machine),
        budget_(options.effort.value_or(default_effort)) {
    // As much as optfo searches orders with half of the effort.
    std::uint64_t first = std::min(budget_ / 2, optfo_effort);
    if (options.frames == FrameClass::pipelined) first /= 2;
    budget_ -= first;
    OneCopy found = search_one_copy(graph, machine, first, options, starts);
    budget_ += first;
    bound_ = found.bound;
    bound_of_all_ = found.bound_of_all;
    take(std::move(found.schedule));
  }

  Schedule run() && {
    share_out();
    if (options_.frames == FrameClass::pipelined) pipeline();
    relay_bound_ = raise(bound_, budget_ / 2, [&](Time period, std::uint64_t limit) {
      const auto most = static_cast<std::size_t>(std::min(limit, most_lower_sets(workload_)));
      const LowerSetAnswer answer = find_relay_chain(workload_, period, most);
      if (answer.stages)
        take(make_schedule(workload_, *answer.stages,
                           ChainRoutes(answer.stages->chain.size(), Routing::relay)));
      return std::pair(answer.verdict, answer.lower_sets);
    });
    if (can_search_schedules(workload_))
      bound_ = raise(bound_, steps_of_proof(workload_, budget_), [&](Time period, std::uint64_t limit) {
        ScheduleAnswer answer = find_any_schedule(workload_, period, limit);
        if (answer.schedule) take(std::move(*answer.schedule));
        return std::pair(answer.verdict, answer.steps);
      });

    best_.scheduler = "exact_fo";
    if (pipelined_ && measure(*pipelined_).exact_period() < measure(best_).exact_period()) {
      pipelined_->scheduler = best_.scheduler;
      best_ = *std::move(pipelined_);
    }
    if (!can_replicate(workload_.original(), machine_)) {
      best_.period_bound.reset();
      raise_period_bound(best_, {bound_of_all_, 1});
      if (options_.frames != FrameClass::pipelined)
        raise_period_bound(best_, {bound_, 1}, one_frame_at_a_time);
    }
    add_period_bound(workload_.original(), machine_, best_);
    const bool is_of_one = best_.replicas == 1 && !best_.repetition;
    if (!best_.optimal && is_of_one && period_ <= bound_)
      best_.optimal_among = one_frame_at_a_time;
    else if (!best_.optimal && is_of_one && period_ <= relay_bound_)
      best_.optimal_among = "relay chains";
    return std::move(best_);
  }

 private:
  void take(Schedule schedule) {
    const Time period = measure(schedule).repetition;
    if (!best_.processors.empty() && period >= period_) return;
    best_ = std::move(schedule);
    period_ = period;
    options_.tell(best_);
  }

  /// A pipelined schedule that meets the bound of all schedules ends the proof.
  void pipeline() {
    // No less than optfo's.
    std::uint64_t limit = std::max(budget_ / 4, std::min(budget_, optfo_effort) / 2);
    budget_ -= limit;
    const Period bound = can_replicate(workload_.original(), machine_)
                             ? PeriodBounds(workload_.original(), machine_).best().period
                             : Period{bound_of_all_, 1};
    pipelined_ = search_pipelined(workload_.original(), machine_, best_, bound, limit, options_.seed);
    if (pipelined_) options_.tell(*pipelined_);
    budget_ = pipelined_ && measure(*pipelined_).exact_period() <= bound ? 0 : budget_ + limit;
  }

  void share_out() {
    std::uint64_t limit = budget_ / 4;
    budget_ -= limit;
    if (const Time bound = assignment_bound(workload_, bound_, period_, limit); bound > bound_)
      bound_ = bound_of_all_ = bound;
    budget_ += limit;
  }

  /// Raises a known lower bound as far as `limit` steps allow: queries whether a period is feasible, and
  /// keeps better schedules. The result equals the period if the queries are complete.
  template <class Ask>
  Time raise(Time bound, std::uint64_t limit, const Ask& ask) {
    budget_ -= limit;
    for (Time next = bound; bound < period_; next = bound + (period_ - bound) / 2) {
      const auto [verdict, steps] = ask(next, limit);
      limit -= std::min<std::uint64_t>(limit, steps);
      if (verdict == Verdict::unknown) break;
      if (verdict == Verdict::no) bound = next + Time{1};
    }
    budget_ += limit;
    return bound;
  }

  const logp::Machine& machine_;
  const Options& options_;
  Workload workload_;
  std::uint64_t budget_;
  Schedule best_;
  Time period_{0};
  std::optional<Schedule> pipelined_;
  /// Of schedules of one frame at a time, of all, and of relay chains.
  Time bound_{0}, bound_of_all_{0}, relay_bound_{0};
};

}  // namespace

Schedule exact_fo(const TaskGraph& graph, const logp::Machine& machine, const Options& options,
                  const FrequencyStarts& starts) {
  return Proof(graph, machine, options, starts).run();
}

}  // namespace takt::schedulers
