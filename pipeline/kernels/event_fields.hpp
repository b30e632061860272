#pragma once
/// Events as rows of numbers with named columns: the output of `threshold` and `sta_lta`.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {

/// The fields of an event in frames of one type: `utc` of its sample in s since 1970, `sample` in the frame,
/// its position on each axis except `time`, and `value`. An axis without coordinates has one field with its
/// name, the index; one with coordinates has `NAME_index` and, with its name, the coordinate.
class EventFields {
 public:
  EventFields() = default;
  /// `further` fields follow the value.
  explicit EventFields(const FrameType& type, const std::vector<std::string>& further = {});

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  /// Returns float64[event=most][field]. No unit: fields have different units.
  [[nodiscard]] FrameType type(std::size_t most) const;
  /// Writes the fields of an event. `place`: row-major index over the axes except `time`. `to` has `size`
  /// fields; further fields are unchanged.
  void write(std::span<double> to, std::int64_t utc_ns, std::size_t sample, std::size_t place,
             double value) const;

 private:
  std::vector<Axis> axes_;
  std::vector<std::string> names_;
  double sample_s_ = 0, rate_hz_ = 0, start_s_ = 0;
};

}  // namespace takt::pipeline
