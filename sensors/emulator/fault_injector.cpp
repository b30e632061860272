#include "sensors/emulator/fault_injector.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/synthetic/split_mix.hpp"

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
      throw ConfigError(fmt::format("{}: {} is not a probability: expected 0 to 1", name, probability));
  if (faults.jitter < Time(0)) throw ConfigError("jitter: expected 0 or more");
}

namespace {

std::uint64_t packets_of_jitter(Time jitter, const PacketCodec& codec) {
  const double packets = std::chrono::duration<double>(jitter).count() * codec.packets_per_second();
  if (!(packets <= longest_jitter))
    throw ConfigError(fmt::format("a jitter of {} is {:.0f} packets of a lane: expected at most {}",
                                  takt::to_string(jitter), packets, longest_jitter));
  return static_cast<std::uint64_t>(packets);
}

}  // namespace

std::uint64_t FaultCounts::corrupted_in_all() const {
  return std::accumulate(corrupted.begin(), corrupted.end(), std::uint64_t{0});
}

FaultInjector::FaultInjector(const Faults& faults, std::size_t lanes, std::uint64_t seed,
                             const PacketCodec& codec, Output output)
    : faults_((validate(faults), faults)),
      seed_(seed),
      jitter_packets_(packets_of_jitter(faults.jitter, codec)),
      codec_(codec),
      output_(std::move(output)),
      lanes_(lanes) {
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
  // Always draws all numbers, so that one fault's probability does not affect the places of the others.
  const bool drop = random.chance(faults_.drop) && !spared;
  const bool corrupted = random.chance(faults_.corrupt) && !spared && !drop;
  const bool duplicate = random.chance(faults_.duplicate) && !drop && !corrupted;
  const bool reorder = random.chance(faults_.reorder) && !spared && !drop && !corrupted;
  const bool garbage = random.chance(faults_.garbage);
  const std::uint64_t choice = random.next();
  const std::uint64_t jitter = spared ? 0 : random.below(jitter_packets_ + 1);

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
  if (reorder) ++counts_.reordered;
  if (jitter > 0 && copies > 0) ++counts_.jittered;
  const std::uint64_t delay = jitter + (reorder ? 1 + choice % longest_delay : 0);
  if (delay > 0)
    lane.delayed.push_back({bytes, copies, lane.packets, lane.packets + delay});
  else
    put(number, lane.packets, bytes, copies);
  release(number, lane.packets);
}

void FaultInjector::put(std::size_t number, std::uint64_t packet, std::span<const std::byte> bytes,
                        std::size_t copies) {
  std::uint64_t& newest = lanes_[number].newest;
  if (copies > 0 && packet < newest) ++counts_.overtaken;
  if (copies > 0) newest = std::max(newest, packet);
  for (std::size_t copy = 0; copy < copies; ++copy) output_({number, bytes});
}

void FaultInjector::release(std::size_t number, std::uint64_t due) {
  std::vector<Delayed>& delayed = lanes_[number].delayed;
  const auto later = std::stable_partition(delayed.begin(), delayed.end(),
                                           [&](const Delayed& packet) { return packet.due <= due; });
  for (auto packet = delayed.begin(); packet != later; ++packet)
    put(number, packet->number, packet->bytes, packet->copies);
  delayed.erase(delayed.begin(), later);
}

}  // namespace takt::sensors
