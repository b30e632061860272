#include "pipeline/kernels/threshold.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "pipeline/kernels/event_fields.hpp"
#include "pipeline/kernels/frame_shapes.hpp"

namespace takt::pipeline {

namespace {

class Threshold final : public Kernel {
 public:
  explicit Threshold(const Parameters& parameters)
      : above_(static_cast<float>(parameters.number("above"))),
        events_(static_cast<std::size_t>(parameters.integer("events"))),
        is_local_(parameters.boolean("local")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    shape_ = real_shape_of(type, "time");
    found_.reserve(type.element_count());
    fields_ = EventFields(type);
    const FrameType events = fields_.type(events_);
    type.element = events.element;
    type.axes = events.axes;
    type.unit.clear();
    return type;
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    find(inputs.front().as<float>().data());
    if (found_.size() > events_) {
      std::ranges::nth_element(found_, found_.begin() + static_cast<std::ptrdiff_t>(events_),
                               [](const Event& a, const Event& b) { return a.value > b.value; });
      found_.resize(events_);
    }
    std::ranges::sort(found_, [](const Event& a, const Event& b) {
      return a.time != b.time ? a.time < b.time : a.place < b.place;
    });
    const std::span<double> to = output.as<double>();
    std::ranges::fill(to, std::nan(""));
    const std::int64_t utc_ns = inputs.front().header->utc_ns;
    for (std::size_t i = 0; i < found_.size(); ++i)
      fields_.write(to.subspan(i * fields_.size(), fields_.size()), utc_ns, found_[i].time, found_[i].place,
                    found_[i].value);
    return Outcome::produced;
  }

 private:
  struct Event {
    std::size_t time, place;
    float value;
  };

  /// Usually there are no events: a fast scan of all values.
  [[nodiscard]] bool has_any(const float* from, std::size_t count) const {
    constexpr std::size_t block = 1024;
    for (std::size_t first = 0; first < count; first += block) {
      unsigned found = 0;
      for (std::size_t i = first; i < std::min(first + block, count); ++i)
        found |= from[i] > above_ ? 1U : 0U;
      if (found != 0) return true;
    }
    return false;
  }

  void find(const float* from) {
    found_.clear();
    const std::size_t frame = shape_.size * shape_.inner;
    for (std::size_t run = 0; run < shape_.outer; ++run) {
      if (!has_any(from + run * frame, frame)) continue;
      for (std::size_t i = 0; i < shape_.inner; ++i) {
        bool is_above = false;
        for (std::size_t t = 0; t < shape_.size; ++t) {
          const float value = from[(run * shape_.size + t) * shape_.inner + i];
          const bool was_above = is_above;
          is_above = value > above_;
          if (!is_above) continue;
          if (is_local_ && was_above) {
            if (value > found_.back().value) found_.back() = {t, run * shape_.inner + i, value};
          } else {
            found_.push_back({t, run * shape_.inner + i, value});
          }
        }
      }
    }
  }

  float above_;
  std::size_t events_;
  bool is_local_;
  AxisShape shape_;
  EventFields fields_;
  std::vector<Event> found_;
};

}  // namespace

KernelKind threshold_kernel() {
  return {
      .name = "threshold",
      .summary = "events: values above a bound, with their times",
      .stateless = true,
      .parameters = {{.name = "above",
                      .type = ParameterType::number,
                      .help = "values above it are events",
                      .may_change = true},
                     {.name = "events",
                      .type = ParameterType::integer,
                      .fallback = "16",
                      .help = "largest number of events per frame; the largest events are kept",
                      .minimum = 1,
                      .maximum = 1 << 20},
                     {.name = "local",
                      .type = ParameterType::boolean,
                      .fallback = "true",
                      .help = "whether successive values above the bound are one event, the largest value",
                      .may_change = true}},
      .make = make_from<Threshold>};
}

}  // namespace takt::pipeline
