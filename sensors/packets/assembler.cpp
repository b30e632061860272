#include "sensors/packets/assembler.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

/// Packets of each lane that determine the start of the first frame; and the least number of them that makes
/// a lane count.
constexpr std::size_t packets_to_begin = 16;
constexpr std::size_t packets_to_count_a_lane = 4;
/// Bounds the packets held until then, for any window size.
constexpr std::size_t most_held_of_lane = 4096;
/// The lead in packets that a lane needs as evidence: one second's packets, at least 64 (several times the
/// bursts of 16 misplaced packets), at most 256 (21 ms of a LOFAR lane).
constexpr std::int64_t least_evidence = 64, most_evidence = 256;
/// Packets ahead of the newest one that need no evidence, unless the window is larger.
constexpr std::int64_t least_reach = 256;
/// Packets of each lane remembered at least, to distinguish late packets from duplicates.
constexpr std::size_t least_memory = 4096;
constexpr std::size_t largest_window = 1 << 20;

void check_lanes(std::size_t lanes) {
  if (lanes < 1 || lanes > most_lanes)
    throw OptionError("lanes", fmt::format("{} lanes are not valid: expected 1 to {}", lanes, most_lanes));
}

/// A grid that does not fit its frames would place packets outside them.
void check_grid(const FrameGrid& grid, std::size_t frame_bytes) {
  check_lanes(grid.lanes);
  const std::size_t parts = grid.packets * grid.lanes;
  if (parts == 0 || grid.payload_bytes == 0 || grid.ticks_per_packet < 1 || grid.alignment < 1 ||
      !(grid.ticks_per_second > 0) || !grid.utc_of)
    throw OptionError(
        "grid",
        "FrameGrid: expected packets, payload_bytes, ticks_per_packet, ticks_per_second, alignment "
        "and utc_of above 0");
  if (grid.scatter && !grid.mark_missing)
    throw OptionError("grid", "FrameGrid: scattered payloads need a marker for missing ones");
  const std::size_t expected = parts * (grid.part_bytes + 1);
  if (!grid.scatter && frame_bytes != expected)
    throw OptionError(
        "grid", fmt::format("frames of {} bytes do not hold {} packets of {} lanes: expected {}: elements of "
                            "{} bytes for each, followed by a flag for each (FrameType::parts = {{{}, {}}})",
                            frame_bytes, grid.packets, grid.lanes, expected, grid.part_bytes, grid.packets,
                            grid.lanes));
  if (!grid.scatter && !grid.unpack && grid.payload_bytes != grid.part_bytes)
    throw OptionError("grid", fmt::format("a payload of {} bytes is copied to {} bytes of a frame: expected "
                                          "as many, or a way to unpack it",
                                          grid.payload_bytes, grid.part_bytes));
}

}  // namespace

void validate(const Assembly& assembly) {
  if (assembly.window < 1 || assembly.window > largest_window)
    throw OptionError("window", fmt::format("a window of {} packets is out of range: expected 1 to {}",
                                            assembly.window, largest_window));
  if (assembly.longest_gap <= Time(0))
    throw OptionError("longest_gap", "the longest gap is 0: expected for example 10 s");
}

Assembler::Assembler(const FrameGrid& grid, const Assembly& assembly, AssemblyCounts& counts,
                     FrameQueue& frames)
    : grid_(grid),
      packets_((check_grid(grid, frames.frame_bytes()), static_cast<std::int64_t>(grid.packets))),
      window_(static_cast<std::int64_t>(assembly.window)),
      reach_(std::max(window_, least_reach)),
      memory_(static_cast<std::int64_t>(
          std::bit_ceil(std::max(least_memory, 2 * (assembly.window + 2 * grid.packets))))),
      longest_gap_ticks_(static_cast<std::uint64_t>(std::min(
          std::chrono::duration<double>(assembly.longest_gap).count() * grid.ticks_per_second, 9e18))),
      packets_per_second_(std::max<std::int64_t>(
          1, static_cast<std::int64_t>(grid.ticks_per_second / static_cast<double>(grid.ticks_per_packet)))),
      evidence_(static_cast<std::uint64_t>(std::clamp(packets_per_second_, least_evidence, most_evidence))),
      counts_(counts),
      frames_(frames),
      open_(open_frames(grid.packets, assembly)),
      lanes_(grid.lanes, Lane{.seen = Seen(static_cast<std::size_t>(memory_)),
                              .candidate = TimeCandidate(candidate_limits())}),
      held_(grid.payload_bytes) {
  held_.reserve(grid.lanes * packets_to_begin);
}

std::size_t Assembler::open_frames(std::size_t packets, const Assembly& assembly) {
  return 1 + (assembly.window + packets - 1) / packets;
}

void Assembler::take(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload,
                     std::int64_t now_ns) {
  if (payload.size() != grid_.payload_bytes)
    throw WorkError(fmt::format("the decoder produced a payload of {} bytes: expected {}", payload.size(),
                                grid_.payload_bytes));
  lanes_[lane].arrived_at = ++arrivals_;
  if (begun_)
    place(lane, tick, payload, now_ns);
  else
    hold(lane, tick, payload, now_ns);
}

void Assembler::finish(std::int64_t now_ns) {
  if (!begun_ && held_.size() > 0) begin(now_ns);
  for (const Lane& lane : lanes_)
    if (wins_vote(lane.candidate.last_tick(), true)) {
      follow(lane.candidate.last_tick(), now_ns);
      break;
    }
  if (!begun_ && held_.size() > 0) begin(now_ns);
  close_all(now_ns);
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (arrivals_ > 0 && lanes_[lane].arrived_at == 0) counts_.lanes[lane].silences.raise_to(1);
    note_early_end(lane);
  }
}

void Assembler::hold(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload,
                     std::int64_t now_ns) {
  held_.put(lane, tick, payload);
  ++lanes_[lane].held;
  const auto [least, most] = std::ranges::minmax(lanes_, {}, &Lane::held);
  const std::size_t enough =
      packets_to_begin + std::min(static_cast<std::size_t>(window_), most_held_of_lane);
  if (least.held >= packets_to_begin || most.held >= enough) begin(now_ns);
}

/// Returns the majority's stream position: the latest of the lanes' first packets.
std::uint64_t Assembler::common_start() const {
  struct Cluster {
    std::array<std::size_t, most_lanes> count{};
    std::array<std::uint64_t, most_lanes> first{};
    std::size_t total = 0;
    std::uint64_t last = 0;
    [[nodiscard]] std::size_t voices() const {
      return static_cast<std::size_t>(
          std::ranges::count_if(count, [](std::size_t n) { return n >= packets_to_count_a_lane; }));
    }
  };
  std::vector<Cluster> clusters;
  // The latest cluster of packets whose times differ by whole packets.
  std::unordered_map<std::uint64_t, std::size_t> latest;
  const auto ticks = static_cast<std::uint64_t>(grid_.ticks_per_packet);
  for (const std::size_t i : held_.in_order()) {
    const HeldPackets::Packet packet = held_[i];
    const auto [found, is_new] = latest.try_emplace(packet.tick % ticks, clusters.size());
    if (is_new || packet.tick - clusters[found->second].last > static_cast<std::uint64_t>(reach_) * ticks) {
      found->second = clusters.size();
      clusters.emplace_back();
    }
    Cluster& cluster = clusters[found->second];
    if (cluster.count[packet.lane]++ == 0) cluster.first[packet.lane] = packet.tick;
    ++cluster.total;
    cluster.last = packet.tick;
  }
  const Cluster& best = *std::ranges::max_element(clusters, [](const Cluster& a, const Cluster& b) {
    // Of equals the later one.
    return std::tuple(a.voices(), a.total) <= std::tuple(b.voices(), b.total);
  });
  const std::size_t needed = best.voices() > 0 ? packets_to_count_a_lane : 1;
  std::uint64_t start = 0;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (best.count[lane] >= needed) start = std::max(start, best.first[lane]);
  return start;
}

void Assembler::begin(std::int64_t now_ns) {
  origin_ = common_start();
  // Skips the partial group at the start: without its beginning, its frame would delay its successors for a
  // window and then be lost.
  if (const std::uint64_t past = origin_ % grid_.alignment; past > 0) origin_ += grid_.alignment - past;
  begun_ = true;
  // Held packets that do not fit are discarded without evidence, so that the start always
  // terminates.
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const HeldPackets::Packet packet = held_[i];
    const std::int64_t distance = distance_of(packet.tick, origin_);
    if (distance < 0) {
      counts_.early.add();
    } else if (!is_near(distance)) {
      count_implausible(packet.lane);
    } else {
      put(packet.lane, distance / grid_.ticks_per_packet, packet.payload, now_ns);
    }
  }
  held_.clear();
  for (Lane& lane : lanes_) lane.held = 0;
}

/// Reports whether a packet belongs to the partial group at the start of the stream. Any number of them is no
/// evidence that the stream has moved.
bool Assembler::is_of_the_midst(std::int64_t distance) const {
  return distance < 0 && distance > -static_cast<std::int64_t>(grid_.alignment);
}

/// Reports whether a packet at this distance in ticks from the origin needs no evidence.
bool Assembler::is_near(std::int64_t distance) const {
  const std::int64_t packet = distance / grid_.ticks_per_packet;
  return distance % grid_.ticks_per_packet == 0 && packet <= sure_ + 1 + reach_ && packet > newest_ - memory_;
}

void Assembler::place(std::size_t lane, std::uint64_t tick, std::span<const std::byte> payload,
                      std::int64_t now_ns) {
  const std::int64_t distance = distance_of(tick, origin_);
  if (is_of_the_midst(distance)) return counts_.early.add();
  if (!is_near(distance)) return vote(lane, TimeCandidate::Kind::far, tick, payload, now_ns);
  if (distance < 0) {
    counts_.early.add();
    return vote(lane, TimeCandidate::Kind::early, tick, payload, now_ns);
  }
  const std::int64_t packet = distance / grid_.ticks_per_packet;
  if (packet <= newest_ && lanes_[lane].seen.test(packet)) {
    counts_.duplicate.add();
    return vote(lane, TimeCandidate::Kind::duplicate, tick, payload, now_ns);
  }
  if (packet / packets_ < next_frame_) {
    lanes_[lane].seen.set(packet);
    counts_.late.add();
    counts_.lost.subtract();
    return vote(lane, TimeCandidate::Kind::late, tick, payload, now_ns);
  }
  if (lanes_[lane].is_contradicted) contradict(lane);
  put(lane, packet, payload, now_ns);
}

/// Reports whether a continuation at this tick is only a gap.
bool Assembler::is_gap(std::uint64_t tick) const {
  const std::uint64_t expected = origin_ + static_cast<std::uint64_t>((newest_ + 1) * grid_.ticks_per_packet);
  return tick >= expected && tick - expected <= longest_gap_ticks_ &&
         distance_of(tick, origin_) % grid_.ticks_per_packet == 0;
}

void Assembler::put(std::size_t lane, std::int64_t packet, std::span<const std::byte> payload,
                    std::int64_t now_ns) {
  if (packet > newest_) advance(packet, now_ns);
  Lane& from = lanes_[lane];
  if (from.seen.test(packet)) {
    counts_.duplicate.add();
    return;
  }
  from.seen.set(packet);
  const std::int64_t frame = packet / packets_;
  if (frame < next_frame_) {
    counts_.late.add();
    counts_.lost.subtract();
    return;
  }
  counts_.received.add();
  counts_.lanes[lane].received.add();
  if (packet < from.newest) counts_.reordered.add();
  from.newest = std::max(from.newest, packet);
  if (std::abs(packet - from.latest) <= reach_) sure_ = std::max(sure_, std::min(packet, from.latest));
  from.latest = packet;

  Open& current = open(frame);
  if (current.packets++ == 0 && !current.slot) current.slot = frames_.acquire();
  ++current.of_lane[lane];
  if (current.slot) {
    const auto place_in_frame = static_cast<std::size_t>(packet % packets_);
    if (grid_.scatter) {
      grid_.scatter(payload, lane, place_in_frame, current.slot->bytes);
    } else {
      const std::span<std::byte> to = part(*current.slot, lane, place_in_frame);
      if (grid_.unpack)
        grid_.unpack(payload, to);
      else if (to.data() != payload.data())
        std::memcpy(to.data(), payload.data(), payload.size());
    }
  }
  while (next_frame_ * packets_ <= newest_ && is_complete(open(next_frame_)))
    close(next_frame_, false, now_ns);
}

bool Assembler::is_waited_for(const Lane& lane) const {
  return lane.newest + window_ + packets_ >= newest_;
}

bool Assembler::is_complete(const Open& frame) const {
  if (frame.packets == grid_.lanes * grid_.packets) return true;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane)
    if (frame.of_lane[lane] < grid_.packets && is_waited_for(lanes_[lane])) return false;
  return true;
}

/// Advances the stream to this packet and hands over frames that are a window older. A long gap costs
/// O(memory).
void Assembler::advance(std::int64_t packet, std::int64_t now_ns) {
  const auto is_overtaken = [&] { return (next_frame_ + 1) * packets_ + window_ <= packet; };
  while (next_frame_ * packets_ <= newest_ && is_overtaken()) close(next_frame_, false, now_ns);
  if (is_overtaken()) {
    // No packet of these frames arrived.
    const std::int64_t next = (packet - window_) / packets_;
    rescue_before(next);
    const auto lost = static_cast<std::uint64_t>(next - next_frame_);
    counts_.frames_lost.add(lost);
    counts_.lost.add(lost * grid_.lanes * grid_.packets);
    next_frame_ = next;
  }
  for (std::int64_t p = std::max(newest_, packet - memory_) + 1; p <= packet; ++p)
    for (Lane& lane : lanes_) lane.seen.clear(p);
  newest_ = packet;
  note_silences();
}

/// A lane whose packets have another time has not ended.
void Assembler::note_early_end(std::size_t lane) {
  const Lane& ended = lanes_[lane];
  const auto away = static_cast<std::int64_t>(arrivals_ - ended.arrived_at);
  if (ended.arrived_at > 0 && !is_waited_for(ended) && away > window_ + packets_)
    counts_.lanes[lane].ended_early.set(static_cast<std::uint64_t>(newest_ - ended.newest));
}

void Assembler::note_silences() {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const bool is_silent = newest_ - lane.newest > packets_per_second_;
    if (is_silent && !lane.is_silent) counts_.lanes[i].silences.add();
    lane.is_silent = is_silent;
  }
}

/// Hands over the oldest frame. At the end of the stream, packets after a lane's last one are not lost: it is
/// unknown whether they were sent.
void Assembler::close(std::int64_t frame, bool at_end, std::int64_t now_ns) {
  const std::size_t parts = grid_.lanes * grid_.packets;
  rescue_before(frame + 1);
  Open done = std::exchange(open(frame), Open{});
  next_frame_ = frame + 1;
  if (done.packets == 0 && done.slot) frames_.give_back(std::exchange(done.slot, nullptr));
  if (done.slot) {
    // Before the missing parts, which add to it.
    const std::uint64_t tick =
        origin_ + static_cast<std::uint64_t>(frame * packets_ * grid_.ticks_per_packet);
    done.slot->header = {.sequence = static_cast<std::uint64_t>(frame),
                         .utc_ns = grid_.utc_of(tick, grid_.ticks_per_second),
                         .first_sample = tick,
                         .ingested_ns = now_ns,
                         .parts = static_cast<std::uint32_t>(parts),
                         .source = grid_.source,
                         .epoch = epoch_};
    if (!grid_.scatter) std::ranges::fill(flags(*done.slot), std::byte{0});
  }
  const std::size_t lost = done.packets < parts ? fill_missing(frame, at_end, done.slot) : 0;
  counts_.lost.add(lost);
  if (done.packets == 0) {
    counts_.frames_lost.add();
  } else if (!done.slot) {
    counts_.frames_dropped.add();
  } else {
    counts_.frames.add();
    const bool holds_nan = grid_.find_nan && grid_.find_nan(done.slot->bytes, done.slot->header);
    if (done.packets < parts)
      (lost > 0 ? counts_.frames_incomplete : counts_.frames_cut_off).add();
    else if (holds_nan)
      counts_.frames_incomplete.add();
    frames_.push(done.slot);
  }
}

void Assembler::close_all(std::int64_t now_ns) {
  while (next_frame_ * packets_ <= newest_) close(next_frame_, true, now_ns);
}

/// Marks the missing parts of the frame; returns how many of them are lost.
std::size_t Assembler::fill_missing(std::int64_t frame, bool at_end, FrameSlot* slot) {
  const std::size_t pieces = std::min<std::size_t>(64, grid_.packets);
  std::size_t lost = 0;
  for (std::size_t p = 0; p < grid_.packets; ++p) {
    const std::int64_t packet = frame * packets_ + static_cast<std::int64_t>(p);
    for (std::size_t lane = 0; lane < grid_.lanes; ++lane) {
      if (packet <= newest_ && lanes_[lane].seen.test(packet)) continue;
      if (!at_end || packet < lanes_[lane].newest) ++lost;
      if (!slot) continue;
      if (grid_.scatter) {
        grid_.mark_missing(lane, p, slot->bytes);
      } else {
        const std::span<std::byte> to = part(*slot, lane, p);
        std::memset(to.data(), 0, to.size());
        flags(*slot)[p * grid_.lanes + lane] = std::byte{1};
      }
      ++slot->header.missing_parts;
      slot->header.missing_mask |= std::uint64_t{1} << (p * pieces / grid_.packets);
    }
  }
  return lost;
}

std::span<std::byte> Assembler::part(const FrameSlot& slot, std::size_t lane, std::size_t packet) const {
  return slot.bytes.subspan((packet * grid_.lanes + lane) * grid_.part_bytes, grid_.part_bytes);
}

std::span<std::byte> Assembler::flags(const FrameSlot& slot) const {
  const std::size_t parts = grid_.lanes * grid_.packets;
  return slot.bytes.subspan(parts * grid_.part_bytes, parts);
}

}  // namespace takt::sensors
