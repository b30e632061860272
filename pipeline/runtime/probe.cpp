#include "pipeline/runtime/probe.hpp"

#include <cmath>

#include "core/formats/json.hpp"

namespace takt::pipeline {

void Probe::choose(std::optional<std::size_t> stage, const sensors::FrameType& type) {
  next_ = stage;
  next_type_ = type;
  has_next_ = true;
}

std::optional<Probe::Row> Probe::look() {
  std::int64_t state = state_.load(std::memory_order_acquire);
  // The working thread writes the sample: its request cannot be withdrawn.
  if (state == busy) return std::nullopt;
  // The working thread may answer the current request at any moment. The request stays, or is withdrawn for
  // another stage.
  if (state >= 0 && (!has_next_ || !state_.compare_exchange_strong(state, idle))) return std::nullopt;
  std::optional<Row> row;
  if (state == full) {
    nlohmann::ordered_json values = nlohmann::ordered_json::array();
    for (const float value : rows_->row(sample_))
      values.push_back(std::isfinite(value) ? nlohmann::ordered_json(value)
                                            : nlohmann::ordered_json(nullptr));
    if (!has_next_)
      row = nlohmann::ordered_json{{"stage", *stage_},           {"sequence", header_.sequence},
                                   {"utc_ns", header_.utc_ns},   {"x", rows_->name()},
                                   {"unit", rows_->unit()},      {"first", rows_->first()},
                                   {"last", rows_->last()},      {"power", rows_->is_power()},
                                   {"values", std::move(values)}}
                .dump();
    state_.store(idle, std::memory_order_relaxed);
  }
  if (has_next_) {
    has_next_ = false;
    stage_ = next_;
    if (stage_) {
      rows_.emplace(next_type_);
      sample_.resize(rows_->sample_bytes());
    }
  }
  if (stage_) state_.store(static_cast<std::int64_t>(*stage_), std::memory_order_release);
  return row;
}

void Probe::show(std::size_t stage, const sensors::FrameView& frame) {
  auto asked = static_cast<std::int64_t>(stage);
  if (!state_.compare_exchange_strong(asked, busy, std::memory_order_acquire)) return;
  header_ = *frame.header;
  rows_->sample(frame.bytes, sample_);
  state_.store(full, std::memory_order_release);
}

}  // namespace takt::pipeline
