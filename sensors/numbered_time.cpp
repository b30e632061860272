#include "sensors/numbered_time.hpp"

#include <algorithm>

namespace takt::sensors {

namespace {

/// Numbers no further apart follow one another.
constexpr std::uint64_t reach = 1000;
/// So many in a row are a stream: as many as make an assembler follow a single lane.
constexpr std::uint64_t numbers_to_move = 64;
/// Until so many have come, it may as well be another one.
constexpr std::uint64_t numbers_to_begin = 16;
constexpr std::int64_t silence_ns = 1'000'000'000;
/// Beginnings that are told apart.
constexpr std::uint64_t most_beginnings = 32;

bool follows(std::uint64_t number, std::uint64_t last) {
  return number - last + reach <= 2 * reach;
}

}  // namespace

NumberedTime::NumberedTime(double numbers_a_second, std::uint64_t parts)
    : numbers_a_second_(numbers_a_second), span_((std::uint64_t{1} << 58) / parts) {}

NumberedTime::Run NumberedTime::begin(std::uint64_t number, std::int64_t utc_ns) {
  const long double now =
      static_cast<long double>(utc_ns) / 1e9L * static_cast<long double>(numbers_a_second_);
  const std::uint64_t away = beginnings_++ % most_beginnings * span_;
  return {.base = away + static_cast<std::uint64_t>(now) - number, .last = number, .heard = 1};
}

std::uint64_t NumberedTime::place_of(std::uint64_t number, std::int64_t utc_ns) {
  const bool is_after_silence = utc_ns - last_utc_ns_ > silence_ns;
  last_utc_ns_ = utc_ns;
  if (!stream_ || (stream_->heard < numbers_to_begin && !follows(number, stream_->last))) {
    stream_ = begin(number, utc_ns);
    latest_ = number;
    return stream_->base + number;
  }
  const bool is_of_stream = follows(number, stream_->last);
  if (anew_ && follows(number, anew_->last) && (!is_of_stream || is_behind_silence_)) {
    anew_->last = number;
    const std::uint64_t place = anew_->base + number;
    if (++anew_->heard >= numbers_to_move) {
      stream_ = anew_;
      latest_ = number;
      anew_.reset();
    }
    return place;
  }
  if (number < stream_->last && (is_after_silence || !is_of_stream)) {
    anew_ = begin(number, utc_ns);
    is_behind_silence_ = is_after_silence;
    return anew_->base + number;
  }
  go_on(number);
  return stream_->base + number;
}

/// By the word of two numbers, one after the other; further away, of as many as make a stream.
void NumberedTime::go_on(std::uint64_t number) {
  if (anew_) anew_->heard = 0;
  const std::uint64_t both = std::min(number, latest_);
  const bool agree = follows(number, latest_);
  latest_ = number;
  if (!agree) {
    far_ = 0;
  } else if (follows(both, stream_->last) || ++far_ >= numbers_to_begin) {
    stream_->last = both;
    ++stream_->heard;
    far_ = 0;
  }
}

}  // namespace takt::sensors
