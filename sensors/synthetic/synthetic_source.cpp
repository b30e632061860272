#include "sensors/synthetic/synthetic_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/option_error.hpp"
#include "sensors/synthetic/normal_table.hpp"
#include "sensors/synthetic/split_mix.hpp"
#include "sensors/synthetic/tone_table.hpp"

namespace takt::sensors {

namespace {

/// One frame per day, and one per nanosecond, the unit of time: times fit 64 bits for centuries.
constexpr double least_rate_hz = 1e-5, most_rate_hz = 1e9;

/// Returns a place in a ring of `size` for an index below twice the size: a division would cost more than all
/// other work for a frame of zeros.
constexpr std::size_t in_ring(std::size_t place, std::size_t size) {
  return place < size ? place : place - size;
}

/// In the order of Pattern.
constexpr std::array<std::string_view, 5> pattern_names{"zeros", "count", "ramp", "tone", "noise"};

class Generator {
 public:
  explicit Generator(const SyntheticOptions& options) : options_(options) {
    const std::vector<Axis>& axes = options.type.axes;
    const auto time =
        std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.name == "time"; });
    if (time != axes.end()) {
      samples_ = time->size;
      for (auto axis = std::next(time); axis != axes.end(); ++axis) stride_ *= axis->size;
    }
    if (options.pattern == Pattern::tone) tone_.emplace(options.frequency);
    if (options.pattern == Pattern::noise)
      for_element([&]<class Component>(Component, std::size_t) { make_noise<Component>(); });
  }

  /// Samples along the time axis of a frame.
  [[nodiscard]] std::uint64_t samples() const { return samples_; }

  void fill(std::uint64_t sequence, std::span<std::byte> bytes) const {
    for_element([&]<class Component>(Component, std::size_t components) {
      fill(sequence, std::span(reinterpret_cast<Component*>(bytes.data()), bytes.size() / sizeof(Component)),
           components);
    });
  }

 private:
  /// Calls `use` with a value of the elements' component type, and the components per element.
  template <class Use>
  void for_element(Use use) const {
    switch (options_.type.element) {
      case ElementType::int8:
        return use(std::int8_t{}, 1);
      case ElementType::uint8:
        return use(std::uint8_t{}, 1);
      case ElementType::int16:
        return use(std::int16_t{}, 1);
      case ElementType::int32:
        return use(std::int32_t{}, 1);
      case ElementType::float32:
        return use(float{}, 1);
      case ElementType::float64:
        return use(double{}, 1);
      case ElementType::complex_int8:
        return use(std::int8_t{}, 2);
      case ElementType::complex_int16:
        return use(std::int16_t{}, 2);
      case ElementType::complex_float32:
        return use(float{}, 2);
      case ElementType::uint16:
        return use(std::uint16_t{}, 1);
      case ElementType::complex_uint8:
        return use(std::uint8_t{}, 2);
      case ElementType::complex_uint16:
        return use(std::uint16_t{}, 2);
    }
  }

  /// Rounds to nearest, halves away from zero.
  template <class Component>
  static Component rounded(double value) {
    if constexpr (std::is_floating_point_v<Component>) return static_cast<Component>(value);
    using Limits = std::numeric_limits<Component>;
    return static_cast<Component>(
        std::clamp<double>(value + std::copysign(0.5, value), Limits::min(), Limits::max()));
  }

  template <class Component>
  void fill(std::uint64_t sequence, std::span<Component> numbers, std::size_t components) const {
    switch (options_.pattern) {
      case Pattern::zeros:
        std::ranges::fill(numbers, Component{0});
        break;
      case Pattern::count:
        std::ranges::fill(numbers, Component{0});
        for (std::size_t i = 0; i < numbers.size(); i += components)
          numbers[i] = static_cast<Component>(sequence);
        break;
      case Pattern::ramp: {
        const std::uint64_t count = numbers.size() / components;
        std::ranges::fill(numbers, Component{0});
        for (std::uint64_t i = 0; i < count; ++i)
          numbers[i * components] = static_cast<Component>(sequence * count + i);
        break;
      }
      case Pattern::tone:
        fill_tone(sequence, numbers, components);
        break;
      case Pattern::noise:
        fill_noise(sequence, numbers);
        break;
    }
  }

  template <class Component>
  void fill_tone(std::uint64_t sequence, std::span<Component> numbers, std::size_t components) const {
    const std::size_t row = stride_ * components, block = samples_ * row;
    // The first place along the axes before time; the others are identical.
    tone_->for_each(sequence * samples_, samples_, [&](std::size_t k, const std::complex<double>& value) {
      const auto real = rounded<Component>(options_.amplitude * value.real());
      const auto imaginary = rounded<Component>(options_.amplitude * value.imag());
      Component* const at = numbers.data() + k * row;
      for (std::size_t i = 0; i < row; i += components) {
        at[i] = real;
        if (components == 2) at[i + 1] = imaginary;
      }
    });
    for (std::size_t begin = block; begin < numbers.size(); begin += block)
      std::ranges::copy(numbers.first(block), numbers.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  /// Builds the table of normal numbers in the component type.
  template <class Component>
  void make_noise() {
    noise_.resize(normal_places * sizeof(Component));
    auto* const table = reinterpret_cast<Component*>(noise_.data());
    const auto quantiles = normal_quantiles();
    for (std::size_t k = 0; k < normal_places; ++k)
      table[k] = rounded<Component>(options_.amplitude * static_cast<double>(quantiles[k]));
  }

  template <class Component>
  void fill_noise(std::uint64_t sequence, std::span<Component> numbers) const {
    const auto* const table = reinterpret_cast<const Component*>(noise_.data());
    // Places, four per draw, and tails.
    SplitMix places(options_.seed, sequence), tails(~options_.seed, sequence);
    for (std::size_t begin = 0; begin < numbers.size(); begin += 4) {
      std::uint64_t drawn = places.next();
      const std::size_t end = std::min(begin + 4, numbers.size());
      for (std::size_t i = begin; i < end; ++i, drawn >>= 16U) {
        const auto place = static_cast<std::uint16_t>(drawn);
        numbers[i] = table[place];
        if (place != 0 && place != normal_places - 1) continue;
        const double tail = options_.amplitude * normal_tail(tails);
        numbers[i] = rounded<Component>(place == 0 ? -tail : tail);
      }
    }
  }

  const SyntheticOptions& options_;
  std::uint64_t samples_ = 1;
  std::uint64_t stride_ = 1;
  std::optional<ToneTable> tone_;
  /// normal_places components.
  std::vector<std::byte> noise_;
};

}  // namespace

std::string_view name_of(Pattern pattern) {
  return pattern_names[static_cast<std::size_t>(pattern)];
}

Pattern parse_pattern(std::string_view name) {
  const auto found = std::find(pattern_names.begin(), pattern_names.end(), name);
  if (found == pattern_names.end())
    throw ConfigError(unknown_name("pattern", name, {pattern_names.begin(), pattern_names.end()}));
  return static_cast<Pattern>(found - pattern_names.begin());
}

void validate(const SyntheticOptions& options) {
  if (options.type.element_count() == 0)
    throw OptionError("axes", fmt::format("frames {} have no elements: expected axes of 1 or more",
                                          options.type.to_string()));
  if (!(options.type.rate_hz >= 0) || !std::isfinite(options.type.rate_hz))
    throw OptionError(
        "rate",
        fmt::format("a rate of {} Hz is not valid: expected frames per second, or 0 for as fast as possible",
                    options.type.rate_hz));
  if (options.type.rate_hz > 0 &&
      (options.type.rate_hz < least_rate_hz || options.type.rate_hz > most_rate_hz))
    throw OptionError(
        "rate", fmt::format("a rate of {} is out of range: expected {} to {}",
                            to_string(Frequency{options.type.rate_hz}), to_string(Frequency{least_rate_hz}),
                            to_string(Frequency{most_rate_hz})));
  const double paced_hz = options.type.rate_hz * options.speed;
  if (!(options.speed >= 0) || (paced_hz > 0 && (paced_hz < least_rate_hz || paced_hz > most_rate_hz)))
    throw OptionError(
        "speed",
        fmt::format("a speed of {} is not valid: expected 0, or a speed that gives {} to {} frames/s",
                    options.speed, least_rate_hz, most_rate_hz));
  if (!(options.frequency >= -0.5 && options.frequency <= 0.5))
    throw OptionError(
        "frequency",
        fmt::format("a tone of {} cycles per sample is ambiguous: expected -0.5 to 0.5", options.frequency));
  if (!std::isfinite(options.amplitude))
    throw OptionError("amplitude",
                      fmt::format("an amplitude of {} is not valid: expected a number", options.amplitude));
  if (options.depth < 1) throw OptionError("depth", "a depth of 0 frames is not valid: expected 1 or more");
}

class SyntheticSource::Impl {
 public:
  explicit Impl(SyntheticOptions options)
      : options_((validate(options), std::move(options))), generator_(options_), waiting_(options_.depth) {}

  SourceState poll(FrameView& frame, std::optional<std::int64_t> seen) {
    arrive();
    if (waiting_count_ == taken_) return ended() ? SourceState::ended : SourceState::waiting;
    if (taken_ == headers_.size()) return SourceState::waiting;
    const std::size_t place = in_ring(first_waiting_ + taken_++, waiting_.size());
    const std::size_t slot = std::exchange(next_slot_, in_ring(next_slot_ + 1, headers_.size()));
    show(waiting_[place], slot, seen);
    ingested_.add();
    frame = {&headers_[slot], memory_->frame(slot)};
    return SourceState::frame;
  }

  void release() {
    // Frames that arrived while this one was lent find the queue in its state at that time.
    arrive();
    first_waiting_ = in_ring(first_waiting_ + 1, waiting_.size());
    --waiting_count_;
    --taken_;
  }

  void use_pool(const FramePool& pool) {
    pool_ = pool;
    waiting_.resize(options_.depth + pool.size());
  }

  std::optional<std::int64_t> next_frame_ns() const {
    if (rate() == 0 || ended()) return std::nullopt;
    return moment(arrived_);
  }

  void start() {
    headers_.assign(
        std::max<std::size_t>(1, pool_.size()),
        {.utc_ns = start_utc_ns_, .parts = 1, .source = static_cast<std::uint16_t>(options_.source)});
    if (pool_.size() > 0)
      memory_.emplace(pool_, options_.type.size());
    else
      memory_.emplace(1, options_.type.size());
    // A constant pattern is written once.
    for (std::size_t slot = 0; slot < headers_.size(); ++slot) generator_.fill(0, memory_->frame(slot));
    start_ns_ = now_ns();
    if (rate() > 0) start_ns_ -= std::llround(static_cast<double>(arrived_) * 1e9 / rate());
  }

  void stop() {
    if (rate() > 0) arrive();
    stopped_ = true;
  }

  void begin_at(std::int64_t utc_ns) {
    if (!options_.start_utc_ns) start_utc_ns_ = utc_ns;
  }

  void resume_after(const StreamPlace& place) {
    if (place.frames == 0) return;
    start_utc_ns_ = place.last.utc_ns - since_start(place.last.sequence);
    arrived_ = place.last.sequence + 1;
    ingested_.set(place.frames);
    dropped_.set(arrived_ - place.frames);
  }

  void seek(std::uint64_t frame) {
    waiting_count_ = taken_;
    arrived_ = frame;
  }

  SourceCounters counters() const {
    SourceCounters counters;
    counters.ingested = ingested_.value();
    counters.dropped = dropped_.value();
    counters.details.push_back({"queue_high_water", "frames", high_water_.value()});
    return counters;
  }

  const SyntheticOptions options_;

 private:
  /// Frames per second; 0: as many as the pipeline polls.
  [[nodiscard]] double rate() const { return options_.type.rate_hz * options_.speed; }
  [[nodiscard]] bool ended() const {
    return stopped_ || (options_.frames > 0 && arrived_ >= options_.frames);
  }
  /// Lent frames do not count as waiting if several may be lent.
  [[nodiscard]] std::size_t lent() const { return pool_.size() > 0 ? taken_ : 0; }
  [[nodiscard]] bool has_room() const { return waiting_count_ - lent() < options_.depth; }
  /// Returns the nanoseconds from the first sample to that of frame k.
  [[nodiscard]] std::int64_t since_start(std::uint64_t sequence) const {
    const double rate_hz = options_.type.rate_hz;
    return rate_hz > 0 ? std::llround(static_cast<double>(sequence) * 1e9 * (1 / rate_hz)) : 0;
  }
  /// Returns when frame k arrives.
  [[nodiscard]] std::int64_t moment(std::uint64_t sequence) const {
    return start_ns_ + std::llround(static_cast<double>(sequence) * 1e9 / rate());
  }

  /// Lets the due frames arrive. Without a rate one is due whenever none waits.
  void arrive() {
    if (rate() == 0) {
      if (waiting_count_ == taken_ && has_room() && !ended()) enqueue(arrived_++);
      return;
    }
    const std::int64_t now = now_ns();
    while (!ended() && has_room() && moment(arrived_) <= now) enqueue(arrived_++);
    if (!ended() && moment(arrived_) <= now) drop(due_by(now) - arrived_);
  }

  /// Returns the number of the first frame that arrives after the time `now`. The search is binary, so that
  /// any rate costs the same; consistent with the rounding of `moment`.
  [[nodiscard]] std::uint64_t due_by(std::int64_t now) const {
    std::uint64_t due = arrived_, step = 1;
    for (; moment(due + step) <= now; step *= 2) due += step;
    while (step /= 2)
      if (moment(due + step) <= now) due += step;
    return options_.frames > 0 ? std::min(due + 1, options_.frames) : due + 1;
  }

  void drop(std::uint64_t count) {
    dropped_.add(count);
    arrived_ += count;
  }

  void enqueue(std::uint64_t sequence) {
    waiting_[in_ring(first_waiting_ + waiting_count_++, waiting_.size())] = sequence;
    high_water_.raise_to(waiting_count_ - lent());
  }

  void show(std::uint64_t sequence, std::size_t slot, std::optional<std::int64_t> seen) {
    FrameHeader& header = headers_[slot];
    header.sequence = sequence;
    header.utc_ns = start_utc_ns_ + since_start(sequence);
    header.first_sample = sequence * generator_.samples();
    header.ingested_ns = rate() > 0 ? moment(sequence) : seen ? *seen : now_ns();
    if (options_.pattern != Pattern::zeros) generator_.fill(sequence, memory_->frame(slot));
  }

  Generator generator_;
  /// A ring with the numbers of the frames that arrived and were not released.
  std::vector<std::uint64_t> waiting_;
  std::size_t first_waiting_ = 0;
  std::size_t waiting_count_ = 0;
  /// How many of them, from the first on, are lent.
  std::size_t taken_ = 0;
  FramePool pool_;
  /// One per slot; slots are used in turn, and there are as many as frames may be lent.
  std::optional<FrameMemory> memory_;
  std::vector<FrameHeader> headers_;
  std::size_t next_slot_ = 0;
  bool stopped_ = false;
  std::uint64_t arrived_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t start_utc_ns_ = options_.start_utc_ns.value_or(0);
  Tally ingested_;
  Tally dropped_;
  Tally high_water_;
};

SyntheticSource::SyntheticSource(SyntheticOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
SyntheticSource::~SyntheticSource() = default;

const FrameType& SyntheticSource::type() const {
  return impl_->options_.type;
}
bool SyntheticSource::may_be_shared() const {
  return type().rate_hz * impl_->options_.speed == 0;
}
void SyntheticSource::seek(std::uint64_t frame) {
  impl_->seek(frame);
}
void SyntheticSource::begin_at(std::int64_t utc_ns) {
  impl_->begin_at(utc_ns);
}
bool SyntheticSource::resume_after(const StreamPlace& place) {
  impl_->resume_after(place);
  return true;
}
void SyntheticSource::start() {
  impl_->start();
}
SourceState SyntheticSource::poll(FrameView& frame) {
  return impl_->poll(frame, std::nullopt);
}
SourceState SyntheticSource::poll_at(FrameView& frame, std::optional<std::int64_t> seen) {
  return impl_->poll(frame, seen);
}
std::size_t SyntheticSource::least_pool() const {
  return 1;
}
void SyntheticSource::use_pool(const FramePool& pool) {
  impl_->use_pool(pool);
}
std::optional<std::int64_t> SyntheticSource::next_frame_ns() const {
  return impl_->next_frame_ns();
}
void SyntheticSource::release() {
  impl_->release();
}
void SyntheticSource::stop() {
  impl_->stop();
}
SourceCounters SyntheticSource::counters() const {
  return impl_->counters();
}

}  // namespace takt::sensors
