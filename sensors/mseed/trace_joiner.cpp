#include "sensors/mseed/trace_joiner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sensors/files/sample_notes.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t second_in_ns = 1'000'000'000;
/// More samples in a frame of all channels are a typing error.
constexpr double most_trace_samples = 1 << 28;
constexpr double most_trace_rate = 1e6;
/// Number of uncontradicted pieces in a row that move the stream; and the number of pieces per channel after
/// which a silent channel loses its vote.
constexpr std::size_t pieces_to_follow = 8;
constexpr std::uint64_t patience_with_channel = 16;

std::int64_t floor_of(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// Marks a NaN sample in the record itself: another NaN than those of a frame that waits for samples.
constexpr std::uint32_t nan_sample_bits = 0x7FC0'0001;
constexpr auto nan_sample = std::bit_cast<float>(nan_sample_bits);

bool is_nan_sample(float value) {
  return std::bit_cast<std::uint32_t>(value) == nan_sample_bits;
}

}  // namespace

void validate(const TraceGrid& grid) {
  if (!(grid.rate_hz > 0) || grid.rate_hz > most_trace_rate)
    throw OptionError("rate", fmt::format("{} samples/s are not valid: expected more than 0 and up to {}",
                                          grid.rate_hz, most_trace_rate));
  if (grid.rows < 1 ||
      static_cast<double>(grid.rows) * static_cast<double>(grid.channels) > most_trace_samples)
    throw OptionError("samples", fmt::format("frames of {} samples of {} channels are not valid", grid.rows,
                                             grid.channels));
  if (grid.window <= Time(0)) throw OptionError("window", "the window is 0: expected for example 60 s");
  if (grid.longest_gap <= Time(0))
    throw OptionError("longest_gap", "the longest gap is 0: expected for example 600 s");
}

FrameType trace_frame_type(const TraceGrid& grid) {
  FrameType type;
  type.element = ElementType::float32;
  type.unit = "counts";
  type.rate_hz = grid.rate_hz / static_cast<double>(grid.rows);
  Axis time{"time", grid.rows, {}};
  for (std::size_t i = 0; i < grid.rows; ++i)
    time.coordinates.push_back(static_cast<double>(i) / grid.rate_hz);
  type.axes = {std::move(time), Axis{"channel", grid.channels, {}}};
  return type;
}

SourceCounters TraceCounts::report() const {
  SourceCounters counters;
  counters.ingested = frames.value();
  counters.lost = frames_lost.value();
  counters.dropped = frames_dropped.value();
  counters.incomplete = frames_incomplete.value();
  counters.details = {{"samples_taken", "samples", taken.value()},
                      {"samples_late", "samples", late.value()},
                      {"samples_duplicate", "samples", duplicate.value()},
                      {"samples_contradictory", "samples", contradictory.value()},
                      {"samples_superseded", "samples", superseded.value()},
                      {"samples_in_leap_second", "samples", in_leap_second.value()},
                      {"values_rounded", "samples", rounded_values.value()},
                      {"samples_implausible", "samples", implausible.value()},
                      {"time_rounded_by", "ns", rounded_ns.value()},
                      {"frames_cut_off", "frames", frames_cut_off.value()},
                      {"clock_jumps", "jumps", jumps.value()}};
  return counters;
}

std::vector<std::string> TraceCounts::warnings(double rate_hz) const {
  std::vector<std::string> all;
  if (rounded_values.value() > 0)
    all.push_back(
        fmt::format("{} samples are rounded: float32 holds integers up to 2^24 exactly, 24 bits of larger "
                    "ones, and no number above 3.4e38",
                    rounded_values.value()));
  if (contradictory.value() > 0)
    all.push_back(
        fmt::format("{} samples were repeated with other values by records of the same version and quality: "
                    "the first values were used",
                    contradictory.value()));
  if (in_leap_second.value() > 0)
    all.push_back(
        fmt::format("{} samples within a leap second were discarded, since POSIX time cannot express it",
                    in_leap_second.value()));
  if (std::string note = rounded_time_note(rounded_ns.value(), rate_hz); !note.empty())
    all.push_back(std::move(note));
  return all;
}

TraceJoiner::TraceJoiner(const TraceGrid& grid, TraceCounts& counts, FrameQueue& frames)
    : grid_(grid),
      type_(trace_frame_type(grid)),
      counts_(counts),
      frames_(frames),
      ends_(grid.channels, 0),
      received_at_(grid.channels, 0) {}

std::size_t TraceJoiner::open_frames(const TraceGrid& grid, std::size_t longest_piece) {
  const double window = std::chrono::duration<double>(grid.window).count() * grid.rate_hz;
  return 3 + static_cast<std::size_t>((window + static_cast<double>(longest_piece)) /
                                      static_cast<double>(grid.rows));
}

/// Computes whole seconds and the fraction separately, so that no digits are lost.
std::int64_t TraceJoiner::index_of(std::int64_t ns) const {
  const std::int64_t seconds = floor_of(ns, second_in_ns);
  const auto whole = static_cast<long double>(seconds) * static_cast<long double>(grid_.rate_hz);
  return std::llround(whole + static_cast<long double>(ns - seconds * second_in_ns) * 1e-9L *
                                  static_cast<long double>(grid_.rate_hz));
}

std::int64_t TraceJoiner::time_of(std::int64_t index) const {
  const long double seconds = static_cast<long double>(index) / static_cast<long double>(grid_.rate_hz);
  const long double whole = std::floor(seconds);
  return static_cast<std::int64_t>(whole) * second_in_ns + std::llround((seconds - whole) * 1e9L);
}

void TraceJoiner::take(std::size_t channel, std::int64_t start_ns, std::span<const float> samples,
                       std::int64_t now_ns, std::uint8_t publication) {
  if (!publication_) publication_ = publication;
  has_publications_ |= *publication_ != publication;
  received_at_[channel] = ++pieces_;
  const Distance distance = distance_of(start_ns, samples.size());
  if (distance == Distance::near) {
    const std::uint64_t before = counts_.taken.value();
    put(channel, start_ns, samples, now_ns, publication);
    if (counts_.taken.value() > before) refuse_asides();
    return;
  }
  if (distance != side_) refuse_asides();
  side_ = distance;
  asides_.push_back({channel, start_ns, {samples.begin(), samples.end()}, publication});
  if (have_moved()) follow(now_ns);
}

void TraceJoiner::take(std::size_t channel, const TraceRecord& record,
                       std::span<const std::pair<std::size_t, std::size_t>> superseded, std::int64_t now_ns) {
  counts_.rounded_values.add(record.rounded);
  const std::span<const float> samples = record.samples;
  std::size_t placed = 0;
  for (const TracePiece& piece : pieces_of(record, leap_seconds())) {
    placed += piece.count;
    const std::size_t end = piece.first + piece.count;
    // The samples between the runs, and after the last one.
    std::size_t from = piece.first;
    const auto use_up_to = [&](std::size_t stop) {
      if (from >= stop) return;
      const auto later_ns = std::llround(static_cast<long double>(from - piece.first) * 1e9L /
                                         static_cast<long double>(grid_.rate_hz));
      take(channel, piece.start_ns + later_ns, samples.subspan(from, stop - from), now_ns,
           record.publication);
    };
    for (const auto& [first, last] : superseded) {
      use_up_to(std::min(first, end));
      from = std::max(from, std::min(last, end));
    }
    use_up_to(end);
  }
  counts_.in_leap_second.add(samples.size() - placed);
}

TraceJoiner::Distance TraceJoiner::distance_of(std::int64_t start_ns, std::size_t samples) const {
  if (!begun_ || grid_.is_in_order) return Distance::near;
  const std::int64_t window = index_of(grid_.window.count()), first = index_of(start_ns - phase_ns_);
  if (first - std::ranges::max(ends_) > window) return Distance::ahead;
  const std::int64_t begin = first_ * static_cast<std::int64_t>(grid_.rows);
  return begin - first - static_cast<std::int64_t>(samples) > window ? Distance::before : Distance::near;
}

/// Reports whether the unconfirmed pieces outvote the stream.
bool TraceJoiner::have_moved() const {
  if (asides_.size() >= pieces_to_follow) return true;
  std::size_t heard = 0, for_it = 0;
  for (std::size_t channel = 0; channel < received_at_.size(); ++channel) {
    if (received_at_[channel] == 0 ||
        pieces_ - received_at_[channel] > patience_with_channel * received_at_.size())
      continue;
    ++heard;
    if (std::ranges::any_of(asides_, [&](const Aside& aside) { return aside.channel == channel; })) ++for_it;
  }
  return heard > 1 ? 2 * for_it > heard : asides_.size() > 1;
}

/// In time order, so that a piece further away than the others stays unconfirmed.
void TraceJoiner::follow(std::int64_t now_ns) {
  std::vector<Aside> moved = std::exchange(asides_, {});
  std::ranges::stable_sort(moved, {}, &Aside::start_ns);
  if (side_ == Distance::before) {
    while (!open_.empty()) close_first(false, now_ns);
    begun_ = false;
    counts_.jumps.add();
    ++epoch_;
  }
  bool is_first = true;
  for (Aside& piece : moved) {
    const Distance distance = is_first ? Distance::near : distance_of(piece.start_ns, piece.samples.size());
    is_first = false;
    if (distance == Distance::near) {
      put(piece.channel, piece.start_ns, piece.samples, now_ns, piece.publication);
    } else {
      side_ = distance;
      asides_.push_back(std::move(piece));
    }
  }
}

void TraceJoiner::refuse_asides() {
  for (const Aside& aside : asides_) counts_.implausible.add(aside.samples.size());
  asides_.clear();
}

void TraceJoiner::put(std::size_t channel, std::int64_t start_ns, std::span<const float> samples,
                      std::int64_t now_ns, std::uint8_t publication) {
  const auto rows = static_cast<std::int64_t>(grid_.rows);
  if (!begun_) phase_ns_ = start_ns - time_of(index_of(start_ns));
  const std::int64_t first = index_of(start_ns - phase_ns_);
  counts_.rounded_ns.raise_to(static_cast<std::uint64_t>(std::abs(start_ns - phase_ns_ - time_of(first))));
  if (!begun_) next_ = first_ = floor_of(first, rows);
  // After a gap of all channels no channel counts as silent yet.
  if (!begun_ || first > std::ranges::max(ends_))
    for (std::int64_t& end : ends_) end = begun_ ? std::max(end, first) : first;
  begun_ = true;
  position_ = first;
  for (std::size_t i = 0; i < samples.size();) {
    const std::int64_t index = first + static_cast<std::int64_t>(i), frame = floor_of(index, rows);
    const auto row = static_cast<std::size_t>(index - frame * rows);
    const std::size_t count = std::min(samples.size() - i, grid_.rows - row);
    if (frame < next_) {
      counts_.late.add(count);
    } else {
      Open& target = open(frame);
      if (has_publications_ && target.publications.empty())
        target.publications.assign(grid_.rows * grid_.channels, *publication_);
      float* const to = target.slot ? reinterpret_cast<float*>(target.slot->bytes.data()) : nullptr;
      for (std::size_t n = 0; n < count; ++n) {
        if (to != nullptr) {
          const std::size_t at = (row + n) * grid_.channels + channel;
          const bool is_there = !std::isnan(to[at]), is_counted = is_there || is_nan_sample(to[at]);
          if (is_there && (target.publications.empty() || target.publications[at] >= publication)) {
            counts_.duplicate.add();
            const bool is_equal_version =
                target.publications.empty() || target.publications[at] == publication;
            if (is_equal_version && to[at] != samples[i + n]) counts_.contradictory.add();
            continue;
          }
          to[at] = std::isnan(samples[i + n]) ? nan_sample : samples[i + n];
          if (!target.publications.empty()) target.publications[at] = publication;
          if (is_counted) {
            (is_there ? counts_.superseded : counts_.duplicate).add();
            continue;
          }
        }
        ++target.samples;
        ++target.of_channel[channel];
        counts_.taken.add();
      }
    }
    i += count;
    ends_[channel] = std::max(ends_[channel], first + static_cast<std::int64_t>(i));
    while (!open_.empty() && is_passed(open_.begin()->first, open_.begin()->second))
      close_first(false, now_ns);
  }
}

void TraceJoiner::finish(std::int64_t now_ns) {
  // At the end nothing can contradict them. A single one may be the only piece after an outage.
  while (!asides_.empty()) follow(now_ns);
  while (!open_.empty()) close_first(true, now_ns);
}

TraceJoiner::Open& TraceJoiner::open(std::int64_t frame) {
  const auto [found, is_new] = open_.try_emplace(frame);
  if (is_new) {
    found->second.slot = frames_.acquire();
    found->second.of_channel.assign(grid_.channels, 0);
    if (found->second.slot) {
      const std::span<std::byte> bytes = found->second.slot->bytes;
      std::fill_n(reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float),
                  std::numeric_limits<float>::quiet_NaN());
    }
  }
  return found->second;
}

/// Reports whether the frame waits for no further samples.
bool TraceJoiner::is_passed(std::int64_t frame, const Open& filled) const {
  const auto window =
      static_cast<std::int64_t>(std::chrono::duration<double>(grid_.window).count() * grid_.rate_hz);
  const std::int64_t end = (frame + 1) * static_cast<std::int64_t>(grid_.rows);
  const std::int64_t newest = std::ranges::max(ends_);
  if (newest - end >= window) return true;
  if (grid_.is_in_order && position_ < end) return false;
  for (std::size_t channel = 0; channel < grid_.channels; ++channel)
    if (filled.of_channel[channel] < grid_.rows && ends_[channel] >= newest - window) return false;
  return true;
}

void TraceJoiner::close_first(bool at_end, std::int64_t now_ns) {
  const auto [frame, done] = *open_.begin();
  open_.erase(open_.begin());
  if (frame > next_) {
    const double silence =
        static_cast<double>(frame - next_) * static_cast<double>(grid_.rows) / grid_.rate_hz;
    if (silence > std::chrono::duration<double>(grid_.longest_gap).count()) {
      counts_.jumps.add();
      ++epoch_;
      first_ = frame;
    } else {
      counts_.frames_lost.add(static_cast<std::uint64_t>(frame - next_));
    }
  }
  next_ = frame + 1;
  if (!done.slot) {
    counts_.frames_dropped.add();
    return;
  }
  fill_header(frame, done, now_ns);
  counts_.frames.add();
  if (done.slot->header.missing_parts > 0)
    (at_end && !has_holes(frame, done) ? counts_.frames_cut_off : counts_.frames_incomplete).add();
  frames_.push(done.slot);
}

/// Reports whether samples other than those after each channel's newest one are missing.
bool TraceJoiner::has_holes(std::int64_t frame, const Open& filled) const {
  const auto rows = static_cast<std::int64_t>(grid_.rows);
  for (std::size_t channel = 0; channel < grid_.channels; ++channel)
    if (std::cmp_less(filled.of_channel[channel],
                      std::clamp<std::int64_t>(ends_[channel] - frame * rows, 0, rows)))
      return true;
  return false;
}

void TraceJoiner::fill_header(std::int64_t frame, const Open& done, std::int64_t now_ns) {
  const std::size_t parts = grid_.rows * grid_.channels;
  FrameHeader& header = done.slot->header;
  header = {.sequence = static_cast<std::uint64_t>(frame - first_),
            .utc_ns = time_of(frame * static_cast<std::int64_t>(grid_.rows)) + phase_ns_,
            .first_sample = static_cast<std::uint64_t>(frame) * grid_.rows,
            .ingested_ns = now_ns,
            .parts = static_cast<std::uint32_t>(parts),
            .missing_parts = static_cast<std::uint32_t>(parts - done.samples),
            .source = grid_.source,
            .epoch = epoch_};
  // Records of floating-point samples may contain NaN.
  if (header.missing_parts == 0) {
    (void)mark_nan(type_, done.slot->bytes, header);
    return;
  }
  const auto* const values = reinterpret_cast<const float*>(done.slot->bytes.data());
  const std::size_t pieces = std::min<std::size_t>(64, grid_.rows);
  for (std::size_t i = 0; i < parts; ++i)
    if (std::isnan(values[i]))
      header.missing_mask |= std::uint64_t{1} << (i / grid_.channels * pieces / grid_.rows);
}

}  // namespace takt::sensors
