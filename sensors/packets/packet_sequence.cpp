#include "sensors/packets/packet_sequence.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace takt::sensors {

namespace {

void add_up(std::vector<Counter>& counters, const std::vector<Counter>& more) {
  for (const Counter& counter : more) {
    const auto same = std::ranges::find(counters, counter.name, &Counter::name);
    if (same == counters.end())
      counters.push_back(counter);
    else
      same->value += counter.value;
  }
}

}  // namespace

PacketSequence::PacketSequence(std::vector<std::filesystem::path> files, Open open) : open_(std::move(open)) {
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::unique_ptr<PacketStream> recording = open_(files[i]);
    if (const std::optional<LanePacket> packet = recording->next()) {
      const std::optional<std::int64_t> utc =
          packet->utc_ns ? packet->utc_ns : recording->codec().utc_of(packet->bytes);
      if (utc) last = *utc;
    }
    order.emplace_back(last, i);
    if (!first_) first_ = std::move(recording);
  }
  std::ranges::sort(order);
  for (const auto& [utc, number] : order) files_.push_back(std::move(files[number]));
}

std::optional<LanePacket> PacketSequence::next() {
  for (;;) {
    if (!current_) {
      if (next_ == files_.size()) return {};
      std::unique_ptr<PacketStream> recording = open_(files_[next_++]);
      const std::lock_guard lock(mutex_);
      current_ = std::move(recording);
    }
    if (std::optional<LanePacket> packet = current_->next()) return packet;
    close();
  }
}

void PacketSequence::close() {
  const std::lock_guard lock(mutex_);
  add_up(counters_, current_->counters());
  std::ranges::move(current_->warnings(), std::back_inserter(warnings_));
  current_.reset();
}

std::vector<Counter> PacketSequence::counters() const {
  const std::lock_guard lock(mutex_);
  std::vector<Counter> all = counters_;
  if (current_) add_up(all, current_->counters());
  return all;
}

std::vector<std::string> PacketSequence::warnings() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> all = warnings_;
  if (current_) std::ranges::move(current_->warnings(), std::back_inserter(all));
  return all;
}

std::string name_of_files(const std::vector<std::filesystem::path>& files) {
  const std::string first = files.front().filename().string();
  if (files.size() == 1) return first;
  return fmt::format("{} and {} other file{}", first, files.size() - 1, files.size() > 2 ? "s" : "");
}

std::unique_ptr<PacketStream> open_packets(const std::vector<std::filesystem::path>& files,
                                           const PacketSequence::Open& open) {
  if (files.size() == 1) return open(files.front());
  return std::make_unique<PacketSequence>(files, open);
}

}  // namespace takt::sensors
