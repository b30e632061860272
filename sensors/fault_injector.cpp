#include "sensors/fault_injector.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/split_mix.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint64_t longest_delay = 8;
constexpr std::size_t longest_garbage = 9000;

}  // namespace

void validate(const Faults& faults) {
  const std::pair<const char*, double> all[] = {{"drop", faults.drop},
                                                {"duplicate", faults.duplicate},
                                                {"reorder", faults.reorder},
                                                {"corrupt", faults.corrupt},
                                                {"garbage", faults.garbage}};
  for (const auto& [name, probability] : all)
    if (!(probability >= 0 && probability <= 1))
      throw ConfigError(fmt::format("{}: {} is not a probability, expected 0 to 1", name, probability));
}

std::uint64_t FaultCounts::corrupted_in_all() const {
  return std::accumulate(corrupted.begin(), corrupted.end(), std::uint64_t{0});
}

FaultInjector::FaultInjector(const Faults& faults, std::size_t lanes, std::uint64_t seed, Output output)
    : faults_(faults), seed_(seed), output_(std::move(output)), lanes_(lanes) {
  validate(faults);
}

void FaultInjector::take(const LanePacket& packet) {
  Lane& lane = lanes_[packet.lane];
  if (lane.previous) pass_on(packet.lane, lane.packets == 1);
  lane.previous.emplace(packet.bytes.begin(), packet.bytes.end());
  ++lane.packets;
}

void FaultInjector::finish() {
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    release(lane, std::numeric_limits<std::uint64_t>::max());
    if (lanes_[lane].previous) pass_on(lane, true);
    lanes_[lane].previous.reset();
  }
}

void FaultInjector::pass_on(std::size_t number, bool spared) {
  Lane& lane = lanes_[number];
  std::vector<std::byte>& bytes = *lane.previous;
  SplitMix random(seed_, lane.packets * lanes_.size() + number);
  // All are drawn always, so that one fault's probability does not change where the others strike.
  const bool drop = random.chance(faults_.drop) && !spared;
  const bool corrupted = random.chance(faults_.corrupt) && !spared && !drop;
  const bool duplicate = random.chance(faults_.duplicate) && !drop && !corrupted;
  const bool reorder = random.chance(faults_.reorder) && !spared && !drop && !corrupted;
  const bool garbage = random.chance(faults_.garbage);
  const std::uint64_t choice = random.next();

  if (garbage) {
    std::vector<std::byte> noise(random.below(longest_garbage));
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random.next());
    ++counts_.garbage;
    output_({number, noise});
  }
  if (drop) ++counts_.dropped;
  if (duplicate) ++counts_.duplicated;
  if (corrupted) corrupt(number, bytes, choice);
  const std::size_t copies = drop || corrupted ? 0 : duplicate ? 2 : 1;
  if (reorder) {
    ++counts_.reordered;
    lane.delayed.push_back({bytes, copies, lane.packets + 1 + choice % longest_delay});
  } else {
    for (std::size_t copy = 0; copy < copies; ++copy) output_({number, bytes});
  }
  release(number, lane.packets);
}

void FaultInjector::release(std::size_t number, std::uint64_t due) {
  std::vector<Delayed>& delayed = lanes_[number].delayed;
  const auto later = std::stable_partition(delayed.begin(), delayed.end(),
                                           [&](const Delayed& packet) { return packet.due <= due; });
  for (auto packet = delayed.begin(); packet != later; ++packet)
    for (std::size_t copy = 0; copy < packet->copies; ++copy) output_({number, packet->bytes});
  delayed.erase(delayed.begin(), later);
}

/// Sends the packet with one fault for which a receiver must refuse it.
void FaultInjector::corrupt(std::size_t lane, std::vector<std::byte>& bytes, std::uint64_t choice) {
  auto cause = static_cast<LofarVerdict>(1 + choice % (lofar_verdict_count - 1));
  if (bytes.size() < lofar_header_bytes) cause = LofarVerdict::size;
  if (cause == LofarVerdict::size) {
    bytes.resize(bytes.size() / 2);
  } else {
    const auto head = std::span(bytes).first<lofar_header_bytes>();
    LofarHeader header = decode_header(head);
    if (cause == LofarVerdict::version) header.version = 1;
    if (cause == LofarVerdict::error_bit) header.payload_error = true;
    if (cause == LofarVerdict::clock)
      header.clock_hz = header.clock_hz == 200'000'000 ? 160'000'000 : 200'000'000;
    if (cause == LofarVerdict::bit_mode) header.bits = header.bits == 8 ? 16 : 8;
    if (cause == LofarVerdict::second) header.second = 0xFFFFFFFF;
    if (cause == LofarVerdict::sequence) header.sequence |= 0x80000000;
    if (cause == LofarVerdict::station) header.station ^= 1;
    encode_header(header, head);
  }
  ++counts_.corrupted[static_cast<std::size_t>(cause)];
  output_({lane, bytes});
}

}  // namespace takt::sensors
