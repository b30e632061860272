#include "sensors/backlog/frame_backlog.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

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

/// All of it, or false with errno set.
template <class Transfer>
bool transfer_all(Transfer transfer, std::size_t bytes, off_t place) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t step = transfer(done, bytes - done, place + static_cast<off_t>(done));
    if (step < 0 && errno == EINTR) continue;
    if (step == 0) errno = EIO;
    if (step <= 0) return false;
    done += static_cast<std::size_t>(step);
  }
  return true;
}

bool write_all(int file, const void* data, std::size_t bytes, off_t place) {
  const auto* const from = static_cast<const std::byte*>(data);
  return transfer_all(
      [&](std::size_t done, std::size_t rest, off_t at) { return ::pwrite(file, from + done, rest, at); },
      bytes, place);
}

bool read_all(int file, void* data, std::size_t bytes, off_t place) {
  auto* const to = static_cast<std::byte*>(data);
  return transfer_all(
      [&](std::size_t done, std::size_t rest, off_t at) { return ::pread(file, to + done, rest, at); }, bytes,
      place);
}

/// Frames that are being put and taken.
constexpr std::size_t beside_waiting = 2;

int open_spill(const std::filesystem::path& folder) {
  const std::filesystem::path in = folder.empty() ? std::filesystem::temp_directory_path() : folder;
  const int file = ::open(in.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0)
    throw WorkError(
        fmt::format("cannot make a file in {} for frames that wait: {}", in.string(), std::strerror(errno)));
  return file;
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

/// One more slot for the frame that is being put, and one for that which was taken.
Bytes memory_of(const BacklogOptions& options, Bytes frame_size) {
  return Bytes{(options.depth + beside_waiting) * frame_size.count};
}

FrameBacklog::FrameBacklog(const BacklogOptions& options, Bytes frame_size)
    : options_(options),
      frame_bytes_(frame_size.count),
      records_(options.policy == BacklogPolicy::spill ? options.spill.count / (sizeof(Record) + frame_bytes_)
                                                      : 0),
      memory_(options.depth + beside_waiting, frame_size),
      slots_(options.depth + 2) {
  if (options.depth < 1)
    throw OptionError("depth", "a depth of 0 frames cannot hold a frame, expected 1 or more");
  if (options.policy == BacklogPolicy::spill && records_ == 0)
    throw OptionError("spill", fmt::format("{} on disk cannot hold a frame, which has {}",
                                           takt::to_string(options.spill), takt::to_string(frame_size)));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].bytes = memory_.frame(i);
    free_.push_back(&slots_[i]);
  }
  if (records_ > 0) file_ = open_spill(options.folder);
}

FrameBacklog::~FrameBacklog() {
  if (file_ >= 0) ::close(file_);
}

off_t FrameBacklog::place(std::uint64_t record) const {
  return static_cast<off_t>(record % records_ * (sizeof(Record) + frame_bytes_));
}

void FrameBacklog::put(const FrameView& frame, bool is_cut_off) {
  Lock lock(mutex_);
  ++counts_.received;
  if (is_abandoned_) {
    ++counts_.dropped;
    return;
  }
  if (options_.policy == BacklogPolicy::decimate && frame.header->sequence % step_ != 0) {
    ++counts_.decimated;
    return;
  }
  // What is on disk is older than what comes now.
  if (options_.policy == BacklogPolicy::spill && (on_disk() > 0 || ready_.size() >= options_.depth))
    return spill(lock, frame, is_cut_off);
  if (!makes_room(lock)) return;
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

/// Whether the new frame is taken; counts what is dropped.
bool FrameBacklog::makes_room(Lock& lock) {
  if (ready_.size() < options_.depth) return true;
  switch (options_.policy) {
    case BacklogPolicy::block:
      has_room_.wait(lock, [&] { return ready_.size() < options_.depth || is_abandoned_; });
      if (is_abandoned_) ++counts_.dropped;
      return !is_abandoned_;
    case BacklogPolicy::drop_oldest:
      free_.push_back(ready_.front());
      ready_.pop_front();
      ++counts_.dropped;
      return true;
    case BacklogPolicy::decimate:
      step_ = std::min(2 * step_, longest_step);
      ++counts_.decimated;
      return false;
    case BacklogPolicy::drop_newest:
    case BacklogPolicy::spill:
      break;
  }
  ++counts_.dropped;
  return false;
}

void FrameBacklog::spill(Lock& lock, const FrameView& frame, bool is_cut_off) {
  if (on_disk() == records_) {
    ++counts_.dropped;
    return;
  }
  const off_t at = place(written_);
  lock.unlock();
  const Record record{*frame.header, is_cut_off ? 1U : 0U};
  const bool is_written =
      write_all(file_, &record, sizeof(record), at) &&
      write_all(file_, frame.bytes.data(), frame_bytes_, at + static_cast<off_t>(sizeof(record)));
  const int error = errno;
  lock.lock();
  if (!is_written) {
    ++counts_.dropped;
    disk_failure_ = std::strerror(error);
    return;
  }
  ++written_;
  ++counts_.spilled;
  counts_.most_waiting = std::max<std::uint64_t>(counts_.most_waiting, ready_.size() + on_disk());
  has_frame_.notify_one();
}

/// What cannot be read is dropped.
bool FrameBacklog::read_back(Lock& lock, Slot& slot) {
  const off_t at = place(read_);
  lock.unlock();
  Record record;
  const bool is_read =
      read_all(file_, &record, sizeof(record), at) &&
      read_all(file_, slot.bytes.data(), frame_bytes_, at + static_cast<off_t>(sizeof(record)));
  const int error = errno;
  lock.lock();
  ++read_;
  slot.header = record.header;
  slot.is_cut_off = record.is_cut_off != 0;
  if (is_read) return true;
  ++counts_.dropped;
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
  // One more than may wait: the one that was lent.
  for (std::size_t i = 0; i < waiting && !free_.empty(); ++i) {
    Slot* const slot = free_.back();
    free_.pop_back();
    state.get(slot->header).get(slot->is_cut_off).get(slot->bytes);
    ready_.push_back(slot);
  }
}

FrameBacklog::Counts FrameBacklog::counts() const {
  const Lock lock(mutex_);
  Counts counts = counts_;
  counts.waiting = counts.received - counts.given - counts.dropped - counts.decimated;
  return counts;
}

std::vector<Counter> FrameBacklog::counters() const {
  const Counts counts = this->counts();
  return {
      {"backlog_received", "frames", counts.received},      {"backlog_given", "frames", counts.given},
      {"backlog_dropped", "frames", counts.dropped},        {"backlog_decimated", "frames", counts.decimated},
      {"backlog_spilled", "frames", counts.spilled},        {"backlog_waiting", "frames", counts.waiting},
      {"backlog_high_water", "frames", counts.most_waiting}};
}

std::vector<std::string> FrameBacklog::warnings() const {
  const Counts counts = this->counts();
  std::vector<std::string> warnings;
  if (counts.dropped > 0 || counts.decimated > 0)
    warnings.push_back(
        fmt::format("frames come faster than they are taken, and are {} as its backlog says ({})",
                    counts.decimated > 0 ? "left out" : "dropped", name_of(options_.policy)));
  const Lock lock(mutex_);
  if (!disk_failure_.empty())
    warnings.push_back(fmt::format("frames cannot wait on disk and are dropped: {}", disk_failure_));
  return warnings;
}

}  // namespace takt::sensors
