/// The vote of the lanes on the stream's time, by each lane's recent packets (docs/reference/stream-time.md).

#include <algorithm>
#include <limits>
#include <set>

#include "sensors/packets/assembler.hpp"

namespace takt::sensors {

namespace {

/// A lane keeps its vote until other lanes have sent this many packets since its last one.
constexpr std::uint64_t patience = 2048;
/// At the end of a stream this fraction (1/n) of the evidence suffices, except for copies.
constexpr std::uint64_t at_end_part = 8;

/// Successive copies without a new packet that indicate a clock stepped backwards: 10 ms of a LOFAR lane.
/// Networks duplicate shorter sequences.
constexpr std::uint64_t copies_in_a_row = 128;

}  // namespace

/// Keeps twice the evidence: a stream that moves loses nothing even if a third of a lane's packets contradict
/// it.
CandidateLimits Assembler::candidate_limits() const {
  constexpr auto furthest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {.ticks_per_packet = grid_.ticks_per_packet,
          .reach = reach_ * grid_.ticks_per_packet,
          .longest_gap = static_cast<std::int64_t>(std::min(longest_gap_ticks_, furthest)),
          .kept_packets = 2 * static_cast<std::size_t>(evidence_),
          .payload_bytes = grid_.payload_bytes};
}

void Assembler::vote(std::size_t lane, TimeCandidate::Kind kind, std::uint64_t tick,
                     std::span<const std::byte> payload, std::int64_t now_ns) {
  if (kind == TimeCandidate::Kind::far) count_implausible(lane);
  TimeCandidate& candidate = lanes_[lane].candidate;
  candidate.take(tick, kind, payload);
  lanes_[lane].is_contradicted = candidate.has_evidence();
  if (is_enough(candidate) && wins_vote(tick, false)) follow(tick, now_ns);
}

/// Records a new packet of this lane at the stream's time.
void Assembler::contradict(std::size_t lane) {
  TimeCandidate& candidate = lanes_[lane].candidate;
  // One packet elsewhere is damaged; two successive ones come from a sender.
  if (candidate.length() > 1) counts_.lanes[lane].mixed.add();
  candidate.contradict();
  lanes_[lane].is_contradicted = candidate.has_evidence();
}

bool Assembler::is_enough(const TimeCandidate& candidate) const {
  return candidate.far() + candidate.copies() >= evidence_ ||
         candidate.copies() >= std::min(evidence_, copies_in_a_row);
}

/// Reports whether more than half of the active lanes have evidence that the stream is at this tick.
bool Assembler::wins_vote(std::uint64_t tick, bool at_end) const {
  std::size_t heard = 0, for_it = 0;
  for (const Lane& lane : lanes_) {
    if (lane.arrived_at == 0 || arrivals_ - lane.arrived_at > patience) continue;
    ++heard;
    const bool is_sure = at_end ? lane.candidate.far() >= evidence_ / at_end_part : is_enough(lane.candidate);
    if (is_sure && lane.candidate.agrees(tick)) ++for_it;
  }
  return 2 * for_it > heard;
}

void Assembler::count_implausible(std::size_t lane) {
  counts_.implausible.add();
  counts_.lanes[lane].implausible.add();
}

void Assembler::follow(std::uint64_t tick, std::int64_t now_ns) {
  HeldPackets moved(grid_.payload_bytes);
  std::uint64_t given_up = 0;
  for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane].candidate.agrees(tick)) given_up += take_candidate(lane, moved);
    lanes_[lane].candidate.clear();
    lanes_[lane].is_contradicted = false;
  }
  // In order of time: packets that arrived after a later one are already counted.
  const std::vector<std::size_t> order = moved.in_order();
  const bool goes_on = is_gap(moved[order.front()].tick);
  if (goes_on) {
    sure_ = std::max(sure_, distance_of(moved[order.front()].tick, origin_) / grid_.ticks_per_packet);
  } else {
    begin_epoch(now_ns);
    // Over a gap, the numbering counts them as lost.
    counts_.lost.add(given_up);
  }
  for (const std::size_t i : order) {
    const HeldPackets::Packet packet = moved[i];
    if (!goes_on && !begun_)
      hold(packet.lane, packet.tick, packet.payload, now_ns);
    else if (const std::int64_t distance = distance_of(packet.tick, origin_); distance < 0)
      counts_.early.add();
    else
      put(packet.lane, distance / grid_.ticks_per_packet, packet.payload, now_ns);
  }
}

/// Adds a lane's kept packets to the moved stream. Returns the number of packets no longer kept.
std::uint64_t Assembler::take_candidate(std::size_t lane, HeldPackets& moved) {
  using Kind = TimeCandidate::Kind;
  std::set<std::uint64_t> came;
  std::uint64_t far = 0;
  for (const TimeCandidate::Packet& packet : lanes_[lane].candidate.packets()) {
    moved.put(lane, packet.tick, packet.payload);
    if (came.insert(packet.tick).second && *came.rbegin() > packet.tick) counts_.reordered.add();
    // They were counted as another kind on arrival.
    if (packet.kind == Kind::far) {
      ++far;
      counts_.implausible.subtract();
      counts_.lanes[lane].implausible.subtract();
    }
    if (packet.kind == Kind::duplicate) counts_.duplicate.subtract();
    if (packet.kind == Kind::early) counts_.early.subtract();
    if (packet.kind == Kind::late) counts_.late.subtract(), counts_.lost.add();
  }
  const std::uint64_t length = lanes_[lane].candidate.length();
  return length - std::min(length, far);
}

void Assembler::begin_epoch(std::int64_t now_ns) {
  rescue_before(std::numeric_limits<std::int64_t>::max());
  close_all(now_ns);
  counts_.jumps.add();
  ++epoch_;
  begun_ = false;
  newest_ = -1;
  sure_ = -1;
  next_frame_ = 0;
  for (Lane& lane : lanes_) {
    lane.newest = -1;
    lane.latest = -1;
    lane.held = 0;
    lane.seen.clear_all();
  }
}

}  // namespace takt::sensors
