#include "pipeline/kernels/event_fields.hpp"

#include "sensors/frames/frame_time.hpp"

namespace takt::pipeline {

EventFields::EventFields(const FrameType& type, const std::vector<std::string>& further)
    : names_{"utc", "sample"}, rate_hz_(type.rate_hz), start_s_(type.start_s) {
  const double rate = sensors::sample_rate(type);
  sample_s_ = rate > 0 ? 1 / rate : 0;
  for (const Axis& axis : type.axes) {
    if (axis.name == "time") continue;
    axes_.push_back(axis);
    if (!axis.coordinates.empty()) names_.push_back(axis.name + "_index");
    names_.push_back(axis.name);
  }
  names_.emplace_back("value");
  names_.insert(names_.end(), further.begin(), further.end());
}

FrameType EventFields::type(std::size_t most) const {
  FrameType events;
  events.element = ElementType::float64;
  events.axes = {Axis{"event", most, {}}, Axis{"field", names_.size(), {}}};
  events.rate_hz = rate_hz_;
  events.start_s = start_s_;
  return events;
}

void EventFields::write(std::span<double> to, std::int64_t utc_ns, std::size_t sample, std::size_t place,
                        double value) const {
  std::size_t inner = 1;
  for (const Axis& axis : axes_) inner *= axis.size;
  std::size_t at = 0;
  to[at++] = static_cast<double>(utc_ns) * 1e-9 + static_cast<double>(sample) * sample_s_;
  to[at++] = static_cast<double>(sample);
  for (const Axis& axis : axes_) {
    inner /= axis.size;
    const std::size_t index = place / inner % axis.size;
    to[at++] = static_cast<double>(index);
    if (!axis.coordinates.empty()) to[at++] = axis.coordinates[index];
  }
  to[at] = value;
}

}  // namespace takt::pipeline
