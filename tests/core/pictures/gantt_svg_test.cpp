/// Does the Gantt chart show what the schedule does?

#include "core/pictures/gantt_svg.hpp"

#include <string>

#include <gmock/gmock.h>

#include "core/generators.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Task `a<b` on processor 0 sends to `c` on processor 1.
class Gantt : public ::testing::Test {
 protected:
  Gantt() : schedule_("some \"scheduler\"", 2) {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"a<b", Time{4}}), c = builder.add_task({"c", Time{5}});
    builder.add_edge(a, c, Bytes{7});
    graph_ = std::move(builder).build();
    const ProcessorId first{0}, second{1};
    const MessageId message = schedule_.add_message(first, second, Bytes{7}, std::vector{DatumId(0)});
    schedule_.add_compute(first, a, Time{0}, Time{4});
    schedule_.add_send(first, message, Time{4}, Time{5});
    schedule_.add_receive(second, message, Time{6}, Time{7});
    schedule_.add_compute(second, c, Time{7}, Time{12});
  }
  TaskGraph graph_;
  Schedule schedule_;
};

TEST_F(Gantt, has_a_box_with_its_times_for_every_operation_and_a_line_for_every_message) {
  const std::string svg = gantt_to_svg(schedule_, graph_);
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(svg, HasSubstr("<title>task a&lt;b: 0..4</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>send of message 0 (0 -&gt; 1, 7 bytes): 4..5</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>receive of message 0 (0 -&gt; 1, 7 bytes): 6..7</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>task c: 7..12</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b")));
  EXPECT_EQ(occurrences(svg, "stroke-opacity"), 1U);
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_EQ(occurrences(svg, "<g>"), occurrences(svg, "</g>"));
}

TEST_F(Gantt, of_nothing_is_an_empty_chart) {
  EXPECT_THAT(gantt_to_svg(Schedule("none", 3), TaskGraph()), HasSubstr("P2"));
}

TEST_F(Gantt, of_very_many_operations_stays_small) {
  const std::size_t count = 200'000;
  Schedule schedule("long", 1);
  for (std::size_t i = 0; i < count; ++i)
    schedule.add_compute(ProcessorId(0), TaskId(0), Time(static_cast<Time::rep>(i)),
                         Time(static_cast<Time::rep>(i + 1)));
  EXPECT_LT(gantt_to_svg(schedule, graph_).size(), 2'000'000U);
}

}  // namespace
}  // namespace takt
