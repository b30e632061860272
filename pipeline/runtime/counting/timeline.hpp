#pragma once
/// Divides a rank's time among its uses.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/system/clock.hpp"
#include "core/system/tick_clock.hpp"
#include "pipeline/runtime/counting/trace_recorder.hpp"
#include "sensors/frames/counter.hpp"

namespace takt::pipeline {

/// Uses of a rank's time. Exactly one applies at any moment, so they add up to the elapsed time.
enum class Use : std::uint8_t {
  /// The stages' own code.
  compute,
  /// Sending and receiving.
  message,
  /// Waiting for a frame from the source or from another rank.
  starved,
  /// Waiting until another rank has room for a frame.
  blocked,
  /// The loop itself.
  other
};
inline constexpr std::size_t use_count = 5;

using UseTallies = std::array<sensors::Tally, use_count>;

/// Assigns each nanosecond since `start` to one use.
///
/// Reading the clock costs 24 ns, as much as a small frame's step. With short steps, timing is therefore
/// sampled: one iteration in 32 to 64 is timed step by step. The untimed iterations after it read the clock
/// only to wait. Their working time is divided as in the timed iteration before, so the uses still add up to
/// the elapsed time, and waits stay exact. Timing is not sampled if a rank waits more than it works.
class Timeline {
 public:
  explicit Timeline(UseTallies& totals) : totals_(totals) {}

  /// Reports each use to this recorder from now on, which must live as long; all iterations are then timed.
  void record(TraceRecorder* recorder) { recorder_ = recorder; }

  void start() { since_ = now_ns(); }

  /// Begins an iteration of so many steps. `may_sample` is the same for all. Returns whether it is untimed.
  bool begin_iteration(std::size_t steps, bool may_sample) {
    if (!may_sample || recorder_ != nullptr) return false;
    if (left_ > 0) {
      --left_;
      return true;
    }
    return end_timed_iteration(steps);
  }
  [[nodiscard]] bool is_untimed() const { return is_untimed_; }
  /// Returns the number of the last timing sample: the timed iterations after untimed ones are counted.
  [[nodiscard]] std::uint64_t sample_number() const { return sample_number_; }

  /// Begins this use. Returns now_ns(); in an untimed iteration, between two uses that are work, it returns
  /// an earlier moment.
  std::int64_t enter(Use use) {
    if (is_untimed_ && is_work(use) && is_work(use_)) return since_;
    return enter(use, now_ns());
  }
  /// Begins this use at a moment in the past, which is not before the last change.
  std::int64_t enter(Use use, std::int64_t moment) {
    if (is_untimed_ && is_work(use_)) [[unlikely]]
      divide(static_cast<std::uint64_t>(moment - since_));
    else
      totals_[index(use_)].add(static_cast<std::uint64_t>(moment - since_));
    if (recorder_ != nullptr) [[unlikely]]
      tell(moment);
    use_ = use;
    since_ = moment;
    seen_ = moment;
    return moment;
  }
  /// Reads the clock, also in an untimed iteration, without a change of the use.
  std::int64_t read_clock() {
    const std::int64_t moment = is_untimed_ ? ticks_.now() : now_ns();
    seen_ = moment;
    return moment;
  }
  /// In an untimed iteration: begins this use, which is timed in full until `end_timed`. Returns
  /// now_ns().
  std::int64_t begin_timed(Use use) {
    const std::int64_t moment = enter(use_, now_ns());
    use_ = use;
    return moment;
  }
  /// Ends `begin_timed`: the iteration continues untimed, with this use. Returns now_ns().
  std::int64_t end_timed(Use use) {
    const std::int64_t moment = now_ns();
    totals_[index(use_)].add(static_cast<std::uint64_t>(moment - since_));
    use_ = use;
    since_ = moment;
    seen_ = moment;
    return moment;
  }
  /// Returns the moment of the last clock reading, once; nothing if it was returned already.
  [[nodiscard]] std::optional<std::int64_t> take_reading() { return std::exchange(seen_, std::nullopt); }
  /// Begins this use, counted from the last change on if that was to `other`: the few instructions between
  /// two stages are not worth a clock reading. Returns the moment.
  std::int64_t follow(Use use) {
    if (is_untimed_ || use_ != Use::other) return enter(use);
    use_ = use;
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->enter();
    return since_;
  }
  [[nodiscard]] Use use() const { return use_; }
  [[nodiscard]] std::int64_t since() const { return since_; }

 private:
  /// Timed iterations at the start, while caches and branch predictors warm up.
  static constexpr std::size_t warm_up = 32;
  /// Mean time of a step below which timing is sampled, and the longest work between two samples.
  static constexpr std::uint64_t short_step_ns = 2'000, longest_untimed_ns = 50'000;
  static constexpr std::uint64_t most_untimed = 63;

  [[nodiscard]] static constexpr std::size_t index(Use use) { return static_cast<std::size_t>(use); }
  [[nodiscard]] static constexpr bool is_work(Use use) { return use != Use::starved && use != Use::blocked; }
  using Totals = std::array<std::uint64_t, use_count>;
  [[nodiscard]] Totals totals() const {
    Totals totals{};
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] = totals_[i].value();
    return totals;
  }
  [[nodiscard]] std::uint64_t of_sample(Use use) const { return sample_[index(use)]; }
  [[nodiscard]] std::uint64_t work_of_sample() const {
    return of_sample(Use::compute) + of_sample(Use::message) + of_sample(Use::other);
  }

  /// Ends a timed iteration, or the last untimed one. Returns whether the next iteration is untimed.
  bool end_timed_iteration(std::size_t steps) {
    enter(Use::other, ticks_.set());
    if (is_untimed_ || sample_number_ < warm_up) {
      ++sample_number_;
      is_untimed_ = false;
      before_ = totals();
      return false;
    }
    const Totals after = totals();
    for (std::size_t i = 0; i < after.size(); ++i) sample_[i] = after[i] - before_[i];
    before_ = after;
    const std::uint64_t worked = work_of_sample();
    if (worked == 0 || worked >= short_step_ns * steps) return false;
    if (of_sample(Use::starved) + of_sample(Use::blocked) > worked) return false;
    const std::uint64_t most = std::min(most_untimed, longest_untimed_ns / worked);
    if (most == 0) return false;
    left_ = any_of_half(most) - 1;
    return is_untimed_ = true;
  }

  /// Returns a random number from half of `most` to `most`: iterations that are expensive at regular
  /// intervals are timed as often as others.
  std::uint64_t any_of_half(std::uint64_t most) {
    // Knuth, The Art of Computer Programming, 3.3.4: MMIX.
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return most - (random_ >> 33) % (most / 2 + 1);
  }

  /// Divides the time of untimed iterations among the uses that are work.
  void divide(std::uint64_t time) {
    const auto all = static_cast<double>(work_of_sample());
    const auto part = [&](Use use) {
      return static_cast<std::uint64_t>(static_cast<double>(time) *
                                        (static_cast<double>(of_sample(use)) / all));
    };
    const std::uint64_t compute = std::min(part(Use::compute), time);
    const std::uint64_t message = std::min(part(Use::message), time - compute);
    totals_[index(Use::compute)].add(compute);
    totals_[index(Use::message)].add(message);
    totals_[index(Use::other)].add(time - compute - message);
  }

  void tell(std::int64_t moment) {
    if (use_ == Use::compute) recorder_->took(TraceKind::task, since_, moment);
    if (use_ == Use::message)
      recorder_->took(recorder_->step() == TraceKind::task ? TraceKind::copy : recorder_->step(), since_,
                      moment);
    if (use_ == Use::starved) recorder_->took(TraceKind::starved, since_, moment);
    if (use_ == Use::blocked) recorder_->took(TraceKind::blocked, since_, moment);
    recorder_->enter();
  }

  UseTallies& totals_;
  TraceRecorder* recorder_ = nullptr;
  Use use_ = Use::other;
  std::int64_t since_ = 0;
  std::optional<std::int64_t> seen_;
  /// Set before the untimed iterations.
  TickClock ticks_;

  bool is_untimed_ = false;
  /// Untimed iterations left before the next timed one.
  std::uint64_t left_ = 0;
  std::uint64_t random_ = 1;
  std::uint64_t sample_number_ = 0;
  /// Totals before the current timed iteration, and times of the last timed one.
  Totals before_{}, sample_{};
};

}  // namespace takt::pipeline
