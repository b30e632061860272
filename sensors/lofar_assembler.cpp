#include "sensors/lofar_assembler.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// Packets of each lane that are looked at before the first frame's beginning is settled.
constexpr std::size_t packets_to_begin = 16;
/// Packets that must follow one another, from all lanes that are heard, before the stream is taken to have
/// moved; and those that are enough whoever sends them.
constexpr std::size_t suspects_to_follow = 8;
constexpr std::size_t suspects_to_follow_anyway = 512;
/// Packets ahead of the newest one that are taken without question, where the window is not larger.
constexpr std::int64_t least_reach = 256;
/// Packets of each lane that are remembered at least (a third of a second), to know late ones from
/// duplicates.
constexpr std::size_t least_memory = 4096;
constexpr std::size_t largest_window = 1 << 20;

constexpr auto blocks_a_packet = static_cast<std::int64_t>(lofar_blocks_a_packet);

}  // namespace

void validate(const LofarAssembly& assembly) {
  if (assembly.window < 1 || assembly.window > largest_window)
    throw ConfigError(fmt::format("a window of {} packets is out of range, expected 1 to {}", assembly.window,
                                  largest_window));
  if (assembly.longest_gap <= Time(0))
    throw ConfigError("the longest gap must be longer than 0, expected for example 10 s");
}

SourceCounters LofarCounts::report() const {
  SourceCounters counters;
  counters.ingested = frames.value();
  counters.lost = frames_lost.value();
  counters.dropped = frames_dropped.value();
  counters.incomplete = frames_incomplete.value();
  const auto add = [&](std::string name, const Tally& tally) {
    counters.details.push_back({std::move(name), "packets", tally.value()});
  };
  add("packets_received", received);
  add("packets_lost", lost);
  add("packets_late", late);
  add("packets_duplicate", duplicate);
  add("packets_reordered", reordered);
  add("packets_early", early);
  add("packets_implausible", implausible);
  for (std::size_t verdict = 1; verdict < lofar_verdict_count; ++verdict)
    add(fmt::format("refused_{}", name_of(static_cast<LofarVerdict>(verdict))), refused[verdict]);
  counters.details.push_back({"frames_cut_off", "frames", frames_cut_off.value()});
  counters.details.push_back({"clock_jumps", "jumps", jumps.value()});
  return counters;
}

void LofarAssembler::ReorderBuffer::reserve(std::size_t packets) {
  places_.reserve(packets);
  payloads_.reserve(packets * payload_bytes_);
}

void LofarAssembler::ReorderBuffer::put(std::size_t lane, std::uint64_t block,
                                        std::span<const std::byte> payload) {
  places_.emplace_back(lane, block);
  payloads_.insert(payloads_.end(), payload.begin(), payload.end());
}

LofarAssembler::ReorderBuffer::Packet LofarAssembler::ReorderBuffer::operator[](std::size_t index) const {
  const auto [lane, block] = places_[index];
  return {lane, block, std::span(payloads_).subspan(index * payload_bytes_, payload_bytes_)};
}

bool LofarAssembler::ReorderBuffer::has(std::size_t lane) const {
  return std::any_of(places_.begin(), places_.end(), [&](const auto& place) { return place.first == lane; });
}

void LofarAssembler::ReorderBuffer::clear() {
  places_.clear();
  payloads_.clear();
}

LofarAssembler::LofarAssembler(const LofarFormat& format, const LofarAssembly& assembly, std::uint32_t source,
                               FrameQueue& frames)
    : format_(format),
      part_bytes_(format.payload_bytes() * (format.bits == 4 ? 2 : 1)),
      packets_(static_cast<std::int64_t>(format.packets)),
      window_(static_cast<std::int64_t>(assembly.window)),
      reach_(std::max(window_, least_reach)),
      memory_(static_cast<std::int64_t>(
          std::bit_ceil(std::max(least_memory, 2 * (assembly.window + 2 * format.packets))))),
      longest_gap_blocks_(
          static_cast<std::uint64_t>(std::chrono::duration<double>(assembly.longest_gap).count() *
                                     static_cast<double>(format.clock_hz) / 1024)),
      source_(source),
      frames_(frames),
      newest_of_lane_(format.lanes, -1),
      open_(open_frames(format, assembly)),
      seen_(format.lanes, Seen(static_cast<std::size_t>(memory_))),
      held_(format.payload_bytes()),
      held_of_lane_(format.lanes, 0),
      suspects_(format.payload_bytes()) {
  held_.reserve(format.lanes * packets_to_begin);
  suspects_.reserve(suspects_to_follow);
}

std::size_t LofarAssembler::open_frames(const LofarFormat& format, const LofarAssembly& assembly) {
  return 1 + (assembly.window + format.packets - 1) / format.packets;
}

LofarVerdict LofarAssembler::take(std::size_t lane, std::span<const std::byte> datagram,
                                  std::int64_t now_ns) {
  LofarHeader header;
  const LofarVerdict verdict = judge(datagram, format_, header);
  if (verdict != LofarVerdict::good) {
    counts_.refused[static_cast<std::size_t>(verdict)].add();
    return verdict;
  }
  format_.station = header.station;
  const std::uint64_t block = absolute_block(header.second, header.sequence, format_.clock_hz);
  const std::span payload = datagram.subspan(lofar_header_bytes);
  if (begun_)
    place(lane, block, payload, now_ns);
  else
    hold(lane, block, payload, now_ns);
  return verdict;
}

void LofarAssembler::finish(std::int64_t now_ns) {
  if (!begun_ && held_.size() > 0) begin(now_ns);
  if (suspects_.size() >= suspects_to_follow) {
    follow_suspects(now_ns);
    if (!begun_) begin(now_ns);
  }
  close_all(now_ns);
  refuse_suspects();
}

void LofarAssembler::hold(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload,
                          std::int64_t now_ns) {
  held_.put(lane, block, payload);
  ++held_of_lane_[lane];
  const auto [least, most] = std::minmax_element(held_of_lane_.begin(), held_of_lane_.end());
  if (*least >= packets_to_begin || *most >= packets_to_begin + static_cast<std::size_t>(window_))
    begin(now_ns);
}

/// The epoch's frame 0 begins at the latest of the first packets of the lanes that were heard.
void LofarAssembler::begin(std::int64_t now_ns) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> first(format_.lanes, none);
  for (std::size_t i = 0; i < held_.size(); ++i)
    first[held_[i].lane] = std::min(first[held_[i].lane], held_[i].block);
  origin_ = 0;
  for (const std::uint64_t block : first)
    if (block != none) origin_ = std::max(origin_, block);
  begun_ = true;

  // Nothing is suspected here: a packet that was held and does not fit is let go, so that starting always
  // ends.
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const ReorderBuffer::Packet packet = held_[i];
    const auto distance = static_cast<std::int64_t>(packet.block - origin_);
    if (distance < 0)
      counts_.early.add();
    else if (!is_near(distance))
      counts_.implausible.add();
    else
      put(packet.lane, distance / blocks_a_packet, packet.payload, now_ns);
  }
  held_.clear();
  std::fill(held_of_lane_.begin(), held_of_lane_.end(), 0);
}

/// Whether a packet at this distance in blocks from the origin may be placed without question.
bool LofarAssembler::is_near(std::int64_t distance) const {
  const std::int64_t packet = distance / blocks_a_packet;
  return distance % blocks_a_packet == 0 && packet <= newest_ + reach_ && packet > newest_ - memory_;
}

void LofarAssembler::place(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload,
                           std::int64_t now_ns) {
  const auto distance = static_cast<std::int64_t>(block - origin_);
  if (!is_near(distance)) {
    suspect(lane, block, payload, now_ns);
    return;
  }
  // As long as packets of the present epoch come the clock has not jumped.
  if (suspects_.size() > 0 && !is_gap(suspects_[0].block)) refuse_suspects();
  if (distance < 0)
    counts_.early.add();
  else
    put(lane, distance / blocks_a_packet, payload, now_ns);
}

/// Whether a stream that goes on at this block would merely have lost what lies between.
bool LofarAssembler::is_gap(std::uint64_t block) const {
  const std::uint64_t expected = origin_ + static_cast<std::uint64_t>((newest_ + 1) * blocks_a_packet);
  return block >= expected && block - expected <= longest_gap_blocks_ &&
         (block - origin_) % lofar_blocks_a_packet == 0;
}

void LofarAssembler::put(std::size_t lane, std::int64_t packet, std::span<const std::byte> payload,
                         std::int64_t now_ns) {
  if (packet > newest_) advance(packet, now_ns);
  if (seen_[lane].test(packet)) {
    counts_.duplicate.add();
    return;
  }
  seen_[lane].set(packet);
  const std::int64_t frame = packet / packets_;
  if (frame < next_frame_) {
    counts_.late.add();
    counts_.lost.subtract();
    return;
  }
  counts_.received.add();
  if (packet < newest_of_lane_[lane]) counts_.reordered.add();
  newest_of_lane_[lane] = std::max(newest_of_lane_[lane], packet);

  Open& current = open(frame);
  if (current.packets++ == 0) current.slot = frames_.acquire();
  if (current.slot) {
    const std::span<std::byte> to = part(*current.slot, lane, static_cast<std::size_t>(packet % packets_));
    if (format_.bits == 4)
      widen_nibbles(payload, to);
    else
      std::memcpy(to.data(), payload.data(), payload.size());
  }
  while (next_frame_ * packets_ <= newest_ && open(next_frame_).packets == format_.lanes * format_.packets)
    close(next_frame_, false, now_ns);
}

void LofarAssembler::suspect(std::size_t lane, std::uint64_t block, std::span<const std::byte> payload,
                             std::int64_t now_ns) {
  if (suspects_.size() > 0) {
    const auto apart = static_cast<std::int64_t>(block - suspects_[suspects_.size() - 1].block);
    if (apart % blocks_a_packet != 0 || std::abs(apart) > reach_ * blocks_a_packet) refuse_suspects();
  }
  suspects_.put(lane, block, payload);
  if (suspects_are_enough()) follow_suspects(now_ns);
}

/// A lane may have gone ahead over a gap while packets from before it are still to come from the others.
bool LofarAssembler::suspects_are_enough() const {
  if (suspects_.size() < suspects_to_follow) return false;
  if (suspects_.size() >= suspects_to_follow_anyway) return true;
  for (std::size_t lane = 0; lane < format_.lanes; ++lane) {
    const bool is_heard = newest_of_lane_[lane] > newest_ - memory_;
    if (is_heard && !suspects_.has(lane)) return false;
  }
  return true;
}

void LofarAssembler::refuse_suspects() {
  counts_.implausible.add(suspects_.size());
  suspects_.clear();
}

void LofarAssembler::follow_suspects(std::int64_t now_ns) {
  ReorderBuffer suspects = std::move(suspects_);
  suspects_ = ReorderBuffer(format_.payload_bytes());
  suspects_.reserve(suspects_to_follow);

  // In order of time, so that none of them leaves another one behind.
  std::vector<std::size_t> order(suspects.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return suspects[a].block < suspects[b].block; });
  if (is_gap(suspects[order.front()].block)) {
    for (const std::size_t i : order)
      put(suspects[i].lane, static_cast<std::int64_t>(suspects[i].block - origin_) / blocks_a_packet,
          suspects[i].payload, now_ns);
    return;
  }
  close_all(now_ns);
  counts_.jumps.add();
  first_sequence_ += static_cast<std::uint64_t>(next_frame_);
  begun_ = false;
  newest_ = -1;
  next_frame_ = 0;
  std::fill(newest_of_lane_.begin(), newest_of_lane_.end(), -1);
  for (Seen& seen : seen_) seen.clear_all();
  for (std::size_t i = 0; i < suspects.size(); ++i)
    hold(suspects[i].lane, suspects[i].block, suspects[i].payload, now_ns);
}

/// The stream has come to this packet: frames that lie a window behind it are handed over as they are.
void LofarAssembler::advance(std::int64_t packet, std::int64_t now_ns) {
  while ((next_frame_ + 1) * packets_ + window_ <= packet) close(next_frame_, false, now_ns);
  for (std::int64_t p = std::max(newest_, packet - memory_) + 1; p <= packet; ++p)
    for (Seen& seen : seen_) seen.clear(p);
  newest_ = packet;
}

/// Hands the oldest frame over. At the end of the stream what lies after a lane's last packet is not lost:
/// nobody knows whether it was sent.
void LofarAssembler::close(std::int64_t frame, bool at_end, std::int64_t now_ns) {
  const std::size_t parts = format_.lanes * format_.packets;
  const Open done = std::exchange(open(frame), Open{});
  next_frame_ = frame + 1;
  if (done.slot) {
    // Before the missing parts, which add to it.
    const std::uint64_t block = origin_ + static_cast<std::uint64_t>(frame * packets_ * blocks_a_packet);
    done.slot->header = {.sequence = first_sequence_ + static_cast<std::uint64_t>(frame),
                         .utc_ns = utc_of_block(block, format_.clock_hz),
                         .first_sample = block,
                         .ingested_ns = now_ns,
                         .parts = static_cast<std::uint32_t>(parts),
                         .source = static_cast<std::uint16_t>(source_)};
  }
  const std::size_t lost = done.packets < parts ? fill_missing(frame, at_end, done.slot) : 0;
  counts_.lost.add(lost);
  if (done.packets == 0) {
    counts_.frames_lost.add();
  } else if (!done.slot) {
    counts_.frames_dropped.add();
  } else {
    counts_.frames.add();
    if (done.packets < parts) (lost > 0 ? counts_.frames_incomplete : counts_.frames_cut_off).add();
    frames_.push(done.slot);
  }
}

void LofarAssembler::close_all(std::int64_t now_ns) {
  while (next_frame_ * packets_ <= newest_) close(next_frame_, true, now_ns);
}

/// Zeros in the frame where packets are missing; returns how many of them are lost.
std::size_t LofarAssembler::fill_missing(std::int64_t frame, bool at_end, FrameSlot* slot) {
  const std::size_t pieces = std::min<std::size_t>(64, format_.packets);
  std::size_t lost = 0;
  for (std::size_t p = 0; p < format_.packets; ++p) {
    const std::int64_t packet = frame * packets_ + static_cast<std::int64_t>(p);
    for (std::size_t lane = 0; lane < format_.lanes; ++lane) {
      if (packet <= newest_ && seen_[lane].test(packet)) continue;
      if (!at_end || packet < newest_of_lane_[lane]) ++lost;
      if (!slot) continue;
      const std::span<std::byte> to = part(*slot, lane, p);
      std::memset(to.data(), 0, to.size());
      ++slot->header.missing_parts;
      slot->header.missing_mask |= std::uint64_t{1} << (p * pieces / format_.packets);
    }
  }
  return lost;
}

std::span<std::byte> LofarAssembler::part(const FrameSlot& slot, std::size_t lane, std::size_t packet) const {
  return slot.bytes.subspan((packet * format_.lanes + lane) * part_bytes_, part_bytes_);
}

}  // namespace takt::sensors
