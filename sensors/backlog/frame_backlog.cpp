#include "sensors/backlog/frame_backlog.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// In the order of BacklogPolicy.
constexpr std::array<std::string_view, 5> policy_names{"block", "drop_newest", "drop_oldest", "decimate",
                                                       "spill"};
constexpr std::uint64_t longest_step = 1 << 20;

std::chrono::steady_clock::time_point moment_of(std::int64_t ns) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(ns));
}

/// Frames that are being put and taken.
constexpr std::size_t frames_not_waiting = 2;

/// Half of the kept records have been taken.
std::uint64_t records_that_wait(const BacklogOptions& options, std::size_t frame_bytes) {
  if (options.policy != BacklogPolicy::spill) return 0;
  return records_in(options.spill, frame_bytes) / (options.kept.empty() ? 1 : 2);
}

}  // namespace

std::string_view name_of(BacklogPolicy policy) {
  return policy_names[static_cast<std::size_t>(policy)];
}

BacklogPolicy parse_backlog_policy(std::string_view name) {
  const auto found = std::ranges::find(policy_names, name);
  if (found == policy_names.end())
    throw ConfigError(unknown_name("policy", name, {policy_names.begin(), policy_names.end()}));
  return static_cast<BacklogPolicy>(found - policy_names.begin());
}

/// One more slot for the frame that is being put, and one for the frame that was taken.
Bytes memory_of(const BacklogOptions& options, Bytes frame_size) {
  return Bytes{(options.depth + frames_not_waiting) * frame_size.count};
}

FrameBacklog::FrameBacklog(const BacklogOptions& options, Bytes frame_size)
    : options_(options),
      frame_bytes_(frame_size.count),
      most_on_disk_(records_that_wait(options, frame_size.count)),
      memory_(options.depth + frames_not_waiting, frame_size),
      slots_(options.depth + 2) {
  if (options.depth < 1) throw OptionError("depth", "a depth of 0 frames is not valid: expected 1 or more");
  if (options.policy == BacklogPolicy::spill && most_on_disk_ == 0)
    throw OptionError("spill", fmt::format("{} on disk cannot hold frames of {}",
                                           takt::to_string(options.spill), takt::to_string(frame_size)));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].bytes = memory_.frame(i);
    free_.push_back(&slots_[i]);
  }
  if (options.policy != BacklogPolicy::spill) return;
  const std::uint64_t records = records_in(options.spill, frame_bytes_);
  file_.emplace(options.kept.empty() ? SpillFile::unnamed(options.folder, records, frame_bytes_)
                                     : SpillFile::kept(options.kept, records, frame_bytes_));
}

void FrameBacklog::put(const FrameView& frame, bool is_cut_off) {
  Lock lock(mutex_);
  ++counts_.received;
  if (is_abandoned_) return leave_out(counts_.dropped, *frame.header);
  if (options_.policy == BacklogPolicy::decimate && frame.header->sequence % step_ != 0)
    return leave_out(counts_.decimated, *frame.header);
  // Frames on disk are older than the new one.
  if (file_ && (!options_.kept.empty() || on_disk() > 0 || ready_.size() >= options_.depth))
    return spill(lock, frame, is_cut_off);
  if (!makes_room(lock, *frame.header)) return;
  Slot* const slot = free_.back();
  free_.pop_back();
  lock.unlock();
  slot->header = *frame.header;
  slot->is_cut_off = is_cut_off;
  std::memcpy(slot->bytes.data(), frame.bytes.data(), std::min(frame.bytes.size(), slot->bytes.size()));
  lock.lock();
  ready_.push_back(slot);
  counts_.most_waiting = std::max<std::uint64_t>(counts_.most_waiting, ready_.size() + on_disk());
  if (step_ > 1 && ready_.size() <= options_.depth / 4) step_ /= 2;
  has_frame_.notify_one();
}

void FrameBacklog::leave_out(std::uint64_t& count, const FrameHeader& header) {
  ++count;
  counts_.left_out += header.combined;
}

/// Returns whether the new frame is accepted; counts dropped frames.
bool FrameBacklog::makes_room(Lock& lock, const FrameHeader& header) {
  if (ready_.size() < options_.depth) return true;
  switch (options_.policy) {
    case BacklogPolicy::block:
      has_room_.wait(lock, [&] { return ready_.size() < options_.depth || is_abandoned_; });
      if (is_abandoned_) leave_out(counts_.dropped, header);
      return !is_abandoned_;
    case BacklogPolicy::drop_oldest:
      leave_out(counts_.dropped, ready_.front()->header);
      free_.push_back(ready_.front());
      ready_.pop_front();
      return true;
    case BacklogPolicy::decimate:
      step_ = std::min(2 * step_, longest_step);
      leave_out(counts_.decimated, header);
      return false;
    case BacklogPolicy::drop_newest:
    case BacklogPolicy::spill:
      break;
  }
  leave_out(counts_.dropped, header);
  return false;
}

void FrameBacklog::spill(Lock& lock, const FrameView& frame, bool is_cut_off) {
  const std::uint64_t record = written_;
  const bool has_room = on_disk() < most_on_disk_;
  lock.unlock();
  const bool is_written = has_room && file_->write(record, frame, is_cut_off);
  const int error = errno;
  if (!is_written && !options_.kept.empty()) file_->add({.dropped = 1});
  lock.lock();
  if (!is_written) {
    leave_out(counts_.dropped, *frame.header);
    if (has_room) disk_failure_ = std::strerror(error);
    return;
  }
  ++written_;
  ++counts_.spilled;
  counts_.most_waiting = std::max<std::uint64_t>(counts_.most_waiting, ready_.size() + on_disk());
  has_frame_.notify_one();
}

/// Drops unreadable frames.
bool FrameBacklog::read_back(Lock& lock, Slot& slot) {
  const std::uint64_t record = read_;
  lock.unlock();
  SpillFile::Head head;
  const bool is_read = file_->read(record, head, slot.bytes);
  const int error = errno;
  lock.lock();
  ++read_;
  slot.header = head.header;
  slot.is_cut_off = head.is_cut_off != 0;
  if (is_read) return true;
  // The frames that it represented are on the disk, too.
  ++counts_.dropped;
  ++counts_.left_out;
  disk_failure_ = std::strerror(error);
  return false;
}

std::optional<FrameView> FrameBacklog::take(std::int64_t latest_ns) {
  Lock lock(mutex_);
  has_frame_.wait_until(lock, moment_of(latest_ns), [&] { return has_frame() || has_ended_; });
  if (!has_frame()) return std::nullopt;
  if (!ready_.empty()) {
    lent_ = ready_.front();
    ready_.pop_front();
  } else {
    lent_ = free_.back();
    free_.pop_back();
    if (!read_back(lock, *lent_)) {
      free_.push_back(lent_);
      lent_ = nullptr;
      return std::nullopt;
    }
  }
  ++counts_.given;
  lent_is_cut_off_ = lent_->is_cut_off;
  has_room_.notify_one();
  return FrameView{&lent_->header, lent_->bytes.first(frame_bytes_)};
}

void FrameBacklog::release() {
  const Lock lock(mutex_);
  free_.push_back(lent_);
  lent_ = nullptr;
}

void FrameBacklog::wait(std::int64_t latest_ns) {
  Lock lock(mutex_);
  has_frame_.wait_until(lock, moment_of(latest_ns), [&] { return has_frame() || has_ended_; });
}

void FrameBacklog::end() {
  const Lock lock(mutex_);
  has_ended_ = true;
  has_frame_.notify_all();
}

void FrameBacklog::abandon() {
  const Lock lock(mutex_);
  is_abandoned_ = true;
  has_room_.notify_all();
}

void FrameBacklog::fail() {
  const Lock lock(mutex_);
  is_abandoned_ = true;
  if (lent_ != nullptr) {
    --counts_.given;
    ready_.push_front(std::exchange(lent_, nullptr));
  }
  for (Slot* const slot : ready_) {
    leave_out(counts_.dropped, slot->header);
    free_.push_back(slot);
  }
  ready_.clear();
  counts_.dropped += on_disk();
  counts_.left_out += on_disk();
  read_ = written_;
  has_room_.notify_all();
}

bool FrameBacklog::is_over() const {
  const Lock lock(mutex_);
  return has_ended_ && !has_frame();
}

void FrameBacklog::save(StateWriter& state) const {
  const Lock lock(mutex_);
  Counts counts = counts_;
  if (lent_ != nullptr) --counts.given;
  state.add(counts).add(step_).add(ready_.size() + (lent_ != nullptr ? 1 : 0));
  const auto add = [&](const Slot& slot) {
    state.add(slot.header).add(slot.is_cut_off).add(std::span<const std::byte>(slot.bytes));
  };
  if (lent_ != nullptr) add(*lent_);
  for (const Slot* const slot : ready_) add(*slot);
}

void FrameBacklog::load(StateReader& state) {
  const Lock lock(mutex_);
  std::size_t waiting = 0;
  state.get(counts_).get(step_).get(waiting);
  // One more than may wait: the lent one.
  for (std::size_t i = 0; i < waiting && !free_.empty(); ++i) {
    Slot* const slot = free_.back();
    free_.pop_back();
    state.get(slot->header).get(slot->is_cut_off).get(slot->bytes);
    ready_.push_back(slot);
  }
}

FrameBacklog::Kept FrameBacklog::continue_after(std::uint64_t taken, const FrameHeader& last) {
  const Lock lock(mutex_);
  written_ = read_ = taken;
  if (!continues_after(taken, last)) {
    file_->clear();
    return {};
  }
  Kept kept;
  const SpillFile::Gone before = taken > 0 ? file_->head(taken - 1).gone : SpillFile::Gone{};
  const auto behind = [&](const SpillFile::Gone& gone) {
    return SpillFile::Gone{gone.dropped - before.dropped, gone.lost - before.lost};
  };
  kept.gone = behind(file_->gone());
  for (;; ++written_) {
    const SpillFile::Head head = file_->head(written_);
    if (head.number != written_ + 1) break;
    kept.waiting.push_back(head.header);
    kept.gone_between = behind(head.gone);
  }
  counts_.received = counts_.most_waiting = kept.waiting.size();
  return kept;
}

bool FrameBacklog::continues_after(std::uint64_t taken, const FrameHeader& last) const {
  const auto found = file_->found();
  if (!found || found->next < taken) return false;
  if (taken == 0) return found->first == 0;
  if (found->first >= taken) return false;
  const FrameHeader taken_last = file_->head(taken - 1).header;
  return taken_last.sequence == last.sequence && taken_last.epoch == last.epoch;
}

FrameBacklog::Counts FrameBacklog::counts() const {
  const Lock lock(mutex_);
  Counts counts = counts_;
  counts.waiting = counts.received - counts.given - counts.dropped - counts.decimated;
  return counts;
}

std::vector<Counter> FrameBacklog::counters() const {
  const Counts counts = this->counts();
  return {{"backlog_received", "frames", counts.received},
          {"backlog_given", "frames", counts.given},
          {"backlog_dropped", "frames", counts.dropped},
          {"backlog_decimated", "frames", counts.decimated},
          {"backlog_spilled", "frames", counts.spilled},
          {"backlog_waiting", "frames", counts.waiting},
          {"backlog_high_water", "frames", counts.most_waiting},
          {"backlog_left_out", "frames of the source", counts.left_out}};
}

std::vector<std::string> FrameBacklog::warnings() const {
  const Counts counts = this->counts();
  std::vector<std::string> warnings;
  if (counts.dropped > 0 || counts.decimated > 0)
    warnings.push_back(fmt::format("input exceeds output: frames are {}, the policy of its backlog ({})",
                                   counts.decimated > 0 ? "left out" : "dropped", name_of(options_.policy)));
  const Lock lock(mutex_);
  if (!disk_failure_.empty())
    warnings.push_back(fmt::format("cannot spill frames to disk, they are dropped: {}", disk_failure_));
  return warnings;
}

}  // namespace takt::sensors
