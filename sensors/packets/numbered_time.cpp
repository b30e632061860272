#include "sensors/packets/numbered_time.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace takt::sensors {

namespace {

/// Numbers at most this far apart are successive.
constexpr std::uint64_t reach = 1000;
/// The lead in numbers with which another run becomes the stream.
constexpr std::uint64_t numbers_to_move = 64;
/// Below this length a run's time may still be wrong.
constexpr std::uint64_t numbers_to_begin = 16;
constexpr std::int64_t silence_ns = 1'000'000'000;
/// A run is over after this many numbers of other runs.
constexpr std::uint64_t most_between = 4096;
/// Number of sender starts with distinct times.
constexpr std::uint64_t most_beginnings = 32;

bool follows(std::uint64_t number, std::uint64_t last) {
  return number - last + reach <= 2 * reach;
}

}  // namespace

NumberedTime::NumberedTime(double numbers_per_second, std::uint64_t parts)
    : numbers_per_second_(numbers_per_second), span_((std::uint64_t{1} << 58) / parts) {}

std::uint64_t NumberedTime::fresh_base(std::uint64_t number, std::int64_t utc_ns) {
  const long double now =
      static_cast<long double>(utc_ns) / 1e9L * static_cast<long double>(numbers_per_second_);
  const std::uint64_t away = beginnings_++ % most_beginnings * span_;
  return away + static_cast<std::uint64_t>(now) - number;
}

std::uint64_t NumberedTime::place_of(std::uint64_t number, std::int64_t utc_ns) {
  const bool is_after_silence = utc_ns - last_utc_ns_ > silence_ns;
  last_utc_ns_ = utc_ns;
  ++arrivals_;
  Run* found = run_of(number, is_after_silence);
  Run& run = found != nullptr ? *found : begin(number, utc_ns, is_after_silence);
  if (follows(number, run.latest)) run.last = std::min(number, run.latest);
  run.latest = number;
  run.used = arrivals_;
  ++run.heard;
  vote(run);
  return run.base + number;
}

bool NumberedTime::is_established(const Run& run) const {
  return run.heard >= numbers_to_begin && arrivals_ - run.used <= most_between;
}

bool NumberedTime::is_followed(const Run& run, std::uint64_t number, bool is_after_silence) const {
  // A single old number, such as a copy of a first one, does not start a run.
  const bool is_over = run.heard < numbers_to_begin && arrivals_ - run.used > reach;
  return run.heard > 0 && !is_over && follows(number, run.last) && (!is_after_silence || number > run.latest);
}

/// Returns the stream if the number follows it; otherwise the latest of the runs that it follows. Between the
/// stream and the run that began near its numbers after a silence, the closer one wins.
NumberedTime::Run* NumberedTime::run_of(std::uint64_t number, bool is_after_silence) {
  Run &stream = runs_[stream_], &anew = runs_[after_silence_];
  const auto ahead = [&](const Run& run) { return number - run.latest - 1; };
  if (is_followed(stream, number, is_after_silence)) {
    const bool is_anew = after_silence_ != stream_ && is_followed(anew, number, is_after_silence) &&
                         ahead(anew) <= ahead(stream);
    return is_anew ? &anew : &stream;
  }
  Run* latest = nullptr;
  for (Run& run : runs_)
    if (is_followed(run, number, is_after_silence) && (latest == nullptr || run.used > latest->used))
      latest = &run;
  return latest;
}

NumberedTime::Run& NumberedTime::begin(std::uint64_t number, std::int64_t utc_ns, bool is_after_silence) {
  const Run& stream = runs_[stream_];
  const bool goes_on = stream.heard >= numbers_to_begin && number > stream.last;
  const std::uint64_t base = goes_on ? stream.base : fresh_base(number, utc_ns);
  Run& oldest = *std::ranges::min_element(runs_, {}, [&](const Run& run) {
    return std::tuple(&run == &stream && run.heard > 0, is_established(run), run.used);
  });
  const auto index = static_cast<std::size_t>(&oldest - runs_.data());
  if (is_after_silence)
    after_silence_ = index;
  else if (index == after_silence_)
    after_silence_ = stream_;
  oldest = {.base = base, .last = number, .latest = number};
  return oldest;
}

void NumberedTime::vote(const Run& run) {
  const auto index = static_cast<std::size_t>(&run - runs_.data());
  if (index == stream_) {
    evidence_ -= std::min<std::uint64_t>(evidence_, 1);
    return;
  }
  if (index != candidate_ && evidence_ > 0) {
    --evidence_;
    return;
  }
  candidate_ = index;
  if (++evidence_ < numbers_to_move) return;
  stream_ = candidate_;
  evidence_ = 0;
}

}  // namespace takt::sensors
