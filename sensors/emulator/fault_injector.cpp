#include "sensors/emulator/fault_injector.hpp"

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

FaultInjector::FaultInjector(const Faults& faults, std::size_t lanes, std::uint64_t seed,
                             const PacketCodec& codec, Output output)
    : faults_(faults), seed_(seed), codec_(codec), output_(std::move(output)), lanes_(lanes) {
  validate(faults);
  counts_.corrupted.resize(codec.causes().size());
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
  if (corrupted) {
    ++counts_.corrupted[codec_.damage(bytes, choice)];
    output_({number, bytes});
  }
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

}  // namespace takt::sensors
