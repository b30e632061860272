#pragma once
/// Sources whose frames arrive on a virtual clock, for tests of joined sources.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sensors/joining/joined_source.hpp"

namespace takt::sensors::joining {

/// The virtual time.
inline std::int64_t virtual_ns = 0;
inline std::int64_t virtual_clock() {
  return virtual_ns;
}

/// A row lasts a millisecond; row n of every source begins at n ms since 1970.
inline constexpr std::int64_t row_ns = 1'000'000;

inline FrameType type_of(std::size_t rows, bool time_is_first = true) {
  FrameType type{.element = ElementType::float32,
                 .axes = {{"time", rows, {}}, {"channel", 2, {}}},
                 .rate_hz = 1e9 / static_cast<double>(row_ns) / static_cast<double>(rows)};
  if (!time_is_first) std::swap(type.axes[0], type.axes[1]);
  return type;
}

/// Returns the value of row n of a source in a channel.
inline float value_of(std::size_t source, std::int64_t row, std::size_t channel) {
  return static_cast<float>(row % 100'000 * 10 + static_cast<std::int64_t>(channel) * 5 +
                            static_cast<std::int64_t>(source));
}

/// Frames that arrive on the virtual clock.
class ScriptedSource final : public Source {
 public:
  struct Frame {
    std::int64_t row = 0;
    std::int64_t arrival_ns = 0;
    std::uint16_t epoch = 0;
    std::uint64_t sequence = 0;
    /// The error of its header's clock.
    std::int64_t utc_error_ns = 0;
  };
  ScriptedSource(std::size_t number, const FrameType& type, std::deque<Frame> script)
      : number_(number), type_(type), script_(std::move(script)), memory_(1, type.size()) {}

  const FrameType& type() const override { return type_; }
  void start() override {}
  SourceState poll(FrameView& view) override {
    EXPECT_FALSE(is_lent_);
    // Drops frames that arrive when the queue is full.
    for (std::size_t i = depth; i < script_.size() && script_[i].arrival_ns <= virtual_ns;)
      script_.erase(script_.begin() + static_cast<std::ptrdiff_t>(i));
    if (stopped_ || (script_.empty() && ends)) return SourceState::ended;
    if (script_.empty() || script_.front().arrival_ns > virtual_ns) return SourceState::waiting;
    const Frame frame = script_.front();
    script_.pop_front();
    const FrameRows rows = rows_of(type_);
    const std::span<float> to{reinterpret_cast<float*>(memory_.frame(0).data()), type_.element_count()};
    for (std::size_t row = 0; row < rows.rows; ++row)
      for (std::size_t channel = 0; channel < 2; ++channel)
        to[rows.outer == 1 ? row * 2 + channel : channel * rows.rows + row] =
            value_of(number_, frame.row + static_cast<std::int64_t>(row), channel);
    header_ = {.sequence = frame.sequence,
               .utc_ns = frame.row * row_ns + frame.utc_error_ns,
               .first_sample = static_cast<std::uint64_t>(frame.row),
               .ingested_ns = frame.arrival_ns,
               .parts = 4,
               .epoch = frame.epoch};
    view = {&header_, memory_.frame(0)};
    is_lent_ = true;
    return SourceState::frame;
  }
  void release() override { is_lent_ = false; }
  void stop() override { stopped_ = true; }
  SourceCounters counters() const override { return {}; }

  /// Otherwise it is silent after its last frame.
  bool ends = true;
  std::size_t depth = std::numeric_limits<std::size_t>::max();

 private:
  std::size_t number_;
  FrameType type_;
  std::deque<Frame> script_;
  FrameMemory memory_;
  FrameHeader header_;
  bool is_lent_ = false, stopped_ = false;
};

/// Returns `count` frames of this many rows from a row on, each arriving `lag_ns` after its last row.
inline std::deque<ScriptedSource::Frame> stream(std::int64_t row, std::size_t rows, std::size_t count,
                                                std::int64_t lag_ns = 0) {
  std::deque<ScriptedSource::Frame> script;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t first = row + static_cast<std::int64_t>(i * rows);
    script.push_back({first, (first + static_cast<std::int64_t>(rows)) * row_ns + lag_ns, 0, i});
  }
  return script;
}

struct Given {
  FrameHeader header;
  std::vector<float> values;
};

inline constexpr std::int64_t second = 1'000'000'000;

/// Returns the existing rows of a source, whose positions follow from the time.
inline std::set<std::int64_t> rows_there(std::size_t source, const std::vector<Given>& frames,
                                         std::size_t rows, std::int64_t origin_ns,
                                         bool time_is_first = true) {
  std::set<std::int64_t> there;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::uint64_t number = frames[k].header.sequence;
    EXPECT_GE(number, k == 0 ? 0 : frames[k - 1].header.sequence + 1);
    EXPECT_EQ(frames[k].header.utc_ns, origin_ns + static_cast<std::int64_t>(number * rows) * row_ns);
    bool is_missing = false;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int64_t at = origin_ns / row_ns + static_cast<std::int64_t>(number * rows + row);
      for (std::size_t channel = 0; channel < 2; ++channel) {
        const float value = frames[k].values[time_is_first ? row * 2 + channel : channel * rows + row];
        if (std::isnan(value)) {
          is_missing = true;
          const std::size_t piece = row * std::min<std::size_t>(rows, 64) / rows;
          EXPECT_TRUE(frames[k].header.missing_mask >> piece & 1U);
        } else {
          EXPECT_EQ(value, value_of(source, at, channel)) << "source " << source << " row " << at;
          there.insert(at);
        }
      }
    }
    EXPECT_EQ(frames[k].header.missing_parts > 0, is_missing);
    EXPECT_LE(frames[k].header.missing_parts, frames[k].header.parts);
  }
  return there;
}

}  // namespace takt::sensors::joining
