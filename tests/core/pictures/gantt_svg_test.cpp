/// Tests that the Gantt chart shows the schedule.

#include "core/pictures/gantt_svg.hpp"

#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/graphs/generators.hpp"
#include "core/pictures/decisions_view.hpp"
#include "core/pictures/schedule_view.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string svg_of_view(const View& view) {
  return svg_of_gantt(nlohmann::ordered_json::parse(view)).body;
}

/// Task `a<b` on processor 0 sends to `c` on processor 1, over a link from node 1 to node 2.
class Gantt : public ::testing::Test {
 protected:
  Gantt() : schedule_(made(2)) {}

  Schedule made(std::size_t processors) {
    Schedule schedule("some \"scheduler\"", processors);
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({"a<b", Time{4}}), c = builder.add_task({"c", Time{5}});
    builder.add_edge(a, c, Bytes{7});
    graph_ = std::move(builder).build();
    const ProcessorId first{0}, second{1};
    const MessageId message = schedule.add_message(first, second, Bytes{7}, std::vector{DatumId(0)});
    const Hop hop{LinkId(2), Time{5}, Time{6}};
    schedule.set_route(message, {&hop, 1});
    schedule.add_compute(first, a, Time{0}, Time{4});
    schedule.add_send(first, message, Time{4}, Time{5});
    schedule.add_receive(second, message, Time{6}, Time{7});
    schedule.add_compute(second, c, Time{7}, Time{12});
    return schedule;
  }
  std::string svg(const Schedule& schedule) {
    const ScheduleToView each{"one", &schedule, &graph_, &network_};
    return svg_of_view(gantt_view({&each, 1}));
  }
  TaskGraph graph_;
  Schedule schedule_;
  Network network_ = ring_network(4);
};

TEST_F(Gantt, has_a_box_with_its_times_for_every_operation_and_hop_and_a_line_for_every_message) {
  const std::string text = svg(schedule_);
  EXPECT_THAT(text, HasSubstr("<title>task a&lt;b: 0..4</title>"));
  EXPECT_THAT(text, HasSubstr("<title>send of message 0 (P0 to P1, data of a&lt;b; 7 units): 4..5</title>"));
  EXPECT_THAT(text,
              HasSubstr("<title>receive of message 0 (P0 to P1, data of a&lt;b; 7 units): 6..7</title>"));
  EXPECT_THAT(text,
              HasSubstr("<title>transfer of message 0 (P0 to P1, data of a&lt;b; 7 units): 5..6</title>"));
  EXPECT_THAT(text, HasSubstr("<title>task c: 7..12</title>"));
  EXPECT_THAT(text, HasSubstr(">1 -&gt; 2</text>"));
  EXPECT_THAT(text, Not(HasSubstr("a<b")));
  EXPECT_EQ(occurrences(text, "stroke-opacity"), 1U);
  EXPECT_EQ(occurrences(text, "<g>"), occurrences(text, "</g>"));
  for (const char* key :
       {">compute, one colour per task<", ">send<", ">receive<", ">transfer on a link<", ">blank<"})
    EXPECT_THAT(text, HasSubstr(key));
}

TEST_F(Gantt, lists_idle_processors_instead_of_drawing_their_rows) {
  EXPECT_THAT(svg(made(2)), Not(HasSubstr("idle")));
  for (const auto& [processors, idle] :
       {std::pair{3, ">idle: P2<"}, {11, ">idle: P2-P10<"}, {545, ">idle: P2-P544<"}}) {
    const std::string text = svg(made(static_cast<std::size_t>(processors)));
    EXPECT_THAT(text, HasSubstr(">P1</text>"));
    EXPECT_THAT(text, Not(HasSubstr(">P2</text>")));
    EXPECT_THAT(text, HasSubstr(idle));
  }
  const Schedule one = made(3), other = made(2);
  const ScheduleToView both[] = {{"one", &one, &graph_, &network_}, {"other", &other, &graph_, &network_}};
  EXPECT_THAT(svg_of_view(gantt_view(both)), HasSubstr(">idle: P2 of one<"));
  const auto table = nlohmann::ordered_json::parse(occupancy_view({both, 1}));
  EXPECT_EQ(table["rows"].size(), 2U);
}

TEST_F(Gantt, mentions_links_if_messages_use_them) {
  const ScheduleToView with{"one", &schedule_, &graph_, &network_};
  EXPECT_THAT(gantt_view({&with, 1}), HasSubstr("then the links"));
  Schedule schedule = made(2);
  schedule.hops.clear();
  schedule.messages[0].hop_count = 0;
  const ScheduleToView without{"one", &schedule, &graph_, &network_};
  EXPECT_THAT(gantt_view({&without, 1}), HasSubstr("One row per processor.\""));
}

TEST_F(Gantt, shows_long_times_and_sizes_in_units) {
  Schedule schedule("long", 1);
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{0}, Time{1'250'000});
  const ScheduleToView each{"long", &schedule, &graph_, &network_};
  EXPECT_EQ(time_unit({&each, 1}), "ns");
  const std::string text = svg_of_view(gantt_view({&each, 1}, "ns"));
  EXPECT_THAT(text, HasSubstr("<title>task a&lt;b: 0 ns..1.25 ms</title>"));
  const ScheduleToView few{"short", &schedule_, &graph_, &network_};
  EXPECT_EQ(time_unit({&few, 1}), "ticks");
}

TEST_F(Gantt, has_a_legend_of_stream_colours) {
  TaskGraphBuilder builder;
  const TaskId a = builder.add_task({.name = "sky#0/a", .work = Time(4)});
  const TaskId b = builder.add_task({.name = "sun#0/b", .work = Time(5)});
  graph_ = std::move(builder).build();
  Schedule schedule("streams", 1);
  schedule.add_compute(ProcessorId(0), a, Time(0), Time(4));
  schedule.add_compute(ProcessorId(0), b, Time(4), Time(9));
  const std::string text = svg(schedule);
  EXPECT_THAT(text, HasSubstr(">stream sky<"));
  EXPECT_THAT(text, HasSubstr(">stream sun<"));
  EXPECT_THAT(text, HasSubstr("<title>task sun#0/b: 4..9, stream sun</title>"));
}

TEST_F(Gantt, shortens_long_names_and_has_them_complete_in_tooltips) {
  TaskGraphBuilder builder;
  const TaskId task = builder.add_task({.name = "a_name_that_is_far_too_long_for_its_box", .work = Time(4)});
  const TaskId other = builder.add_task({.name = "long", .work = Time(996)});
  graph_ = std::move(builder).build();
  Schedule schedule("names", 1);
  schedule.add_compute(ProcessorId(0), task, Time(0), Time(100));
  schedule.add_compute(ProcessorId(0), other, Time(100), Time(1096));
  const std::string text = svg(schedule);
  EXPECT_THAT(text, HasSubstr("<title>task a_name_that_is_far_too_long_for_its_box: 0..100</title>"));
  EXPECT_THAT(text, HasSubstr("…"));
  EXPECT_THAT(text, Not(HasSubstr(">a_name_that_is_far_too_long_for_its_box<")));
}

TEST_F(Gantt, draws_tasks_at_their_last_decision) {
  const Decisions decisions{
      {.task = TaskId(0), .place = 1, .is_cluster = false, .start = Time(0), .end = Time(4), .reason = ""},
      {.task = TaskId(0), .place = 0, .is_cluster = false, .start = Time(2), .end = Time(6), .reason = ""}};
  const std::string text = svg_of_view(decisions_view(decisions, graph_));
  EXPECT_THAT(text, HasSubstr("<title>task a&lt;b: 2..6</title>"));
  EXPECT_THAT(text, Not(HasSubstr("0..4")));
}

TEST_F(Gantt, of_nothing_is_an_empty_chart) {
  const Schedule none("none", 3);
  const TaskGraph empty;
  const ScheduleToView each{"one", &none, &empty, nullptr};
  EXPECT_THAT(svg_of_view(gantt_view({&each, 1})), HasSubstr("P2"));
}

TEST_F(Gantt, of_very_many_operations_stays_small) {
  const std::size_t count = 200'000;
  Schedule schedule("long", 1);
  for (std::size_t i = 0; i < count; ++i)
    schedule.add_compute(ProcessorId(0), TaskId(0), Time(static_cast<Time::rep>(i)),
                         Time(static_cast<Time::rep>(i + 1)));
  EXPECT_LT(svg(schedule).size(), 1'000'000U);
}

}  // namespace
}  // namespace takt
