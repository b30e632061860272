/// Tests when a frame contains an event.

#include "pipeline/runtime/events.hpp"

#include <array>
#include <cmath>

#include <gmock/gmock.h>

namespace takt::pipeline {
namespace {

using sensors::ElementType;
using sensors::FrameHeader;
using sensors::FrameType;
using sensors::UtcSpan;

constexpr std::int64_t event_utc_ns = 1'700'000'000'000'000'000;

template <class Value, std::size_t n>
std::optional<UtcSpan> found(const FrameType& type, const std::array<Value, n>& values) {
  const FrameHeader header{.utc_ns = event_utc_ns};
  return find_event(type, {&header, std::as_bytes(std::span(values))});
}

TEST(Events, span_the_first_to_the_last_when_their_times_are_given) {
  const FrameType type{
      .element = ElementType::float64, .axes = {{"event", 3, {}}, {"field", 2, {}}}, .rate_hz = 10};
  const double nan = std::nan("");
  EXPECT_FALSE(found(type, std::array{nan, nan, nan, nan, nan, nan}));
  const auto span = found(type, std::array{1'700'000'000.5, 0.0, 1'700'000'000.25, 9.0, nan, nan});
  ASSERT_TRUE(span);
  EXPECT_NEAR(static_cast<double>(span->from_ns - event_utc_ns), 250e6, 1000);
  EXPECT_NEAR(static_cast<double>(span->until_ns - event_utc_ns), 500e6, 1000);
}

TEST(Events, span_the_frame_when_any_value_is_set) {
  FrameType type{.element = ElementType::float32, .axes = {{"time", 3, {}}}, .rate_hz = 10};
  EXPECT_FALSE(found(type, std::array{0.0F, std::nanf(""), -0.0F}));
  EXPECT_EQ(found(type, std::array{0.0F, std::nanf(""), 1e-9F}),
            (UtcSpan{event_utc_ns, event_utc_ns + 100'000'000}));
  type.element = ElementType::int16;
  EXPECT_FALSE(found(type, std::array<std::int16_t, 3>{}));
  EXPECT_TRUE(found(type, std::array<std::int16_t, 3>{0, 0, -1}));
}

}  // namespace
}  // namespace takt::pipeline
