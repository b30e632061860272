/// Tests that spreadsheets and scripts can read the tables.

#include "sensors/files/table_sink.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const double missing = std::numeric_limits<double>::quiet_NaN();

FrameType events_of(std::size_t fields) {
  return {.element = ElementType::float64, .axes = {{"event", 3, {}}, {"field", fields, {}}}};
}

std::string written(TableOptions options, const FrameType& type,
                    const std::vector<std::vector<double>>& frames) {
  const test::TemporaryFolder folder;
  options.output.path = folder / "table";
  TableSink sink(std::move(options), type);
  sink.open();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FrameHeader header{.sequence = i, .utc_ns = 1'700'000'000'250'000'000};
    if (type.element == ElementType::float64) {
      sink.write({&header, std::as_bytes(std::span(frames[i]))});
      continue;
    }
    const std::vector<float> values(frames[i].begin(), frames[i].end());
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  sink.close();
  return test::read_file(folder / "table");
}

TEST(TableSink, events_are_lines_with_named_columns) {
  const TableOptions options{.columns = {"utc", "dm", "value"}};
  EXPECT_EQ(written(options, events_of(3),
                    {{1.7e9, 50, 7.25, missing, missing, missing, missing, missing, missing},
                     {1'700'000'001.5, 0, 1e-9, 1'700'000'001.75, 10, missing, missing, missing, missing}}),
            "utc,dm,value\n"
            "1700000000,50,7.25\n"
            "1700000001.5,0,1e-09\n"
            "1700000001.75,10,\n");
}

TEST(TableSink, json_has_an_object_per_line) {
  const TableOptions options{.format = TableFormat::json, .columns = {"utc", "a \"b\""}};
  EXPECT_EQ(written(options, events_of(2), {{1.5, missing, missing, missing, 2.5, -1}}),
            "{\"utc\": 1.5, \"a \\\"b\\\"\": null}\n{\"utc\": 2.5, \"a \\\"b\\\"\": -1}\n");
}

TEST(TableSink, other_frames_have_their_time_and_place_before_their_values) {
  const FrameType spectra{.element = ElementType::float32,
                          .axes = {{"time", 2, {0, 0.5}}, {"channel", 2, {1e8, 1.5e8}}}};
  EXPECT_EQ(written({}, spectra, {{0.1, 2, 3, missing}}),
            "utc,time,channel=100000000,channel=150000000\n"
            "1700000000.25,0,0.1,2\n"
            "1700000000.25,0.5,3,\n");
  const FrameType named{.element = ElementType::float32, .axes = {{"beam", 1, {}}, {"x", 2, {}}}};
  EXPECT_EQ(written({.columns = {"a,b", "c"}}, named, {{1, 2}}), "utc,beam,\"a,b\",c\n1700000000.25,0,1,2\n");
}

TEST(TableSink, a_run_without_events_writes_only_the_names) {
  EXPECT_EQ(written({.columns = {"utc", "value"}}, events_of(2),
                    {{missing, missing, missing, missing, missing, missing}}),
            "utc,value\n");
}

TEST(TableSink, refuses_frames_other_than_tables) {
  const auto refused = [](const FrameType& type, const std::vector<std::string>& columns, const char* why) {
    EXPECT_THAT([&] { TableSink({.output = {.path = "table"}, .columns = columns}, type); },
                ThrowsMessage<ConfigError>(HasSubstr(why)));
  };
  refused({.element = ElementType::complex_float32, .axes = {{"x", 2, {}}}}, {}, "expected real numbers");
  FrameType flagged{.element = ElementType::int16, .axes = {{"x", 2, {}}}};
  flagged.parts = {1};
  refused(flagged, {}, "expected real numbers");
  refused({.element = ElementType::float32, .axes = {{"x", 5000, {}}}}, {}, "expected at most 4096");
  refused(events_of(3), {"utc", "value"}, "2 names of columns (utc, value), but a row of");
}

}  // namespace
}  // namespace takt::sensors
