/// Tests that pages contain their data, and nothing executable in it.

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/pictures/decisions_view.hpp"
#include "core/pictures/graph_view.hpp"
#include "core/pictures/page.hpp"
#include "core/pictures/page_bundle.hpp"
#include "core/pictures/palette.hpp"
#include "core/pictures/schedule_view.hpp"

namespace takt {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Two processors; a message over one link; two frames in an iteration.
struct PageFixture : ::testing::Test {
  PageFixture() : schedule("hand", 3) {
    TaskGraphBuilder builder;
    const TaskId a = builder.add_task({.name = "s#0/a", .work = Time(4)});
    const TaskId b = builder.add_task({.name = "t#0/<b>", .work = Time(5)});
    builder.add_edge(a, b, Bytes{7});
    graph = std::move(builder).build();
    const DatumId datum(0);
    const MessageId message = schedule.add_message(ProcessorId(0), ProcessorId(1), Bytes{7}, {&datum, 1});
    const Hop hop{LinkId(2), Time(5), Time(8)};
    schedule.set_route(message, {&hop, 1});
    schedule.add_compute(ProcessorId(0), a, Time(0), Time(4));
    schedule.add_send(ProcessorId(0), message, Time(4), Time(5));
    schedule.add_receive(ProcessorId(1), message, Time(8), Time(9));
    schedule.add_compute(ProcessorId(1), b, Time(10), Time(15));
  }
  TaskGraph graph;
  Schedule schedule;
  Network network = ring_network(4);
};

TEST_F(PageFixture, gantt_views_hold_every_operation_and_hop_with_their_times) {
  const ScheduleToView each{"one", &schedule, &graph, &network};
  const json view = json::parse(gantt_view({&each, 1}));
  // Gaps are from the end of the previous box.
  EXPECT_EQ(view["box"]["gap"], json({0, 0, 8, 1, 5}));
  EXPECT_EQ(view["box"]["len"], json({4, 1, 1, 5, 3}));
  EXPECT_EQ(view["box"]["kind"], json({0, 1, 2, 0, 3}));
  EXPECT_EQ(view["rows"]["boxes"], json({2, 2, 0, 1}));
  EXPECT_EQ(view["rows"]["name"][3], "1 -> 2");
  EXPECT_EQ(view["messages"]["send"], json({1}));
  EXPECT_EQ(view["messages"]["receive"], json({2}));
  EXPECT_EQ(view["messages"]["bytes"], json({7}));
  EXPECT_EQ(view["streams"], json({"s", "t"}));
  EXPECT_EQ(view["tasks"]["stream"], json({0, 1}));
}

// a joins cluster 3, b too, then a moves to cluster 1; then both are placed on processor 0, b first.
TEST_F(PageFixture, placements_show_tasks_at_their_last_decision) {
  const TaskId a(0), b(1);
  const Decisions decisions{
      {.task = a, .place = 3, .is_cluster = true, .start = Time(0), .end = Time(4), .reason = "<first>"},
      {.task = b, .place = 3, .is_cluster = true, .start = Time(4), .end = Time(9), .reason = ""},
      {.task = a, .place = 1, .is_cluster = true, .start = Time(1), .end = Time(5), .reason = "better"},
      {.task = b, .place = 0, .is_cluster = false, .start = Time(11), .end = Time(16), .reason = ""},
      {.task = a, .place = 0, .is_cluster = false, .start = Time(2), .end = Time(6), .reason = ""}};
  const json view = json::parse(decisions_view(decisions, graph));
  EXPECT_EQ(view["groups"]["name"], json({"clusters", "processors"}));
  EXPECT_EQ(view["rows"]["name"], json({"C1", "C3", "P0"}));
  EXPECT_EQ(view["rows"]["group"], json({0, 0, 1}));
  EXPECT_EQ(view["rows"]["boxes"], json({1, 2, 2}));
  EXPECT_EQ(view["box"]["subject"], json({0, 0, 1, 0, 1}));
  EXPECT_EQ(view["box"]["gap"], json({1, 0, 0, 2, 5}));
  EXPECT_EQ(view["box"]["len"], json({4, 4, 5, 4, 5}));
  EXPECT_EQ(view["steps"]["from"], json({2, 0, 1, 4, 3}));
  EXPECT_EQ(view["steps"]["to"], json({5, 2, 5, 5, 5}));
  EXPECT_EQ(view["steps"]["says"], json({"<first>", "", "better", "", ""}));
}

TEST_F(PageFixture, tasks_with_equal_names_are_one_in_several_schedules) {
  const ScheduleToView both[] = {{"one", &schedule, &graph, &network}, {"two", &schedule, &graph, &network}};
  const json view = json::parse(gantt_view(both));
  EXPECT_EQ(view["tasks"]["name"].size(), 2U);
  EXPECT_EQ(view["box"]["gap"].size(), 10U);
  EXPECT_EQ(view["rows"]["group"], json({0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(view["messages"]["send"], json({1, 6}));
}

TEST_F(PageFixture, link_loads_follow_from_their_messages) {
  // The largest occupancy, 8 .. 15, is the period; the hop takes 3 of its 7 ticks.
  const std::vector<double> loads = link_loads(schedule, network);
  ASSERT_EQ(loads.size(), network.links.size());
  EXPECT_DOUBLE_EQ(loads[2], 3.0 / 7);
  const json view = json::parse(network_view(network, loads));
  EXPECT_DOUBLE_EQ(view["edges"]["load"][2].get<double>(), 0.4286);
  EXPECT_EQ(json::parse(network_view(network))["edges"]["load"][2], -1);
}

TEST_F(PageFixture, operations_are_lines_of_csv) {
  EXPECT_EQ(schedule_to_csv({"", &schedule, &graph, &network}),
            "row,kind,subject,instance,start,end\n"
            "P0,compute,s#0/a,0,0,4\nP0,send,0,0,4,5\nP1,receive,0,0,8,9\nP1,compute,t#0/<b>,0,10,15\n"
            "1 -> 2,transfer,0,0,5,8\n");
}

TEST(GraphViews, hold_nodes_edges_and_bends_in_columns) {
  const TaskGraph graph = generate("gauss:size=5,cost=1..9,data=1..9");
  const json view = json::parse(graph_view(graph));
  for (const auto& [name, column] : view["nodes"].items())
    EXPECT_EQ(column.size(), graph.task_count()) << name;
  for (const auto& [name, column] : view["edges"].items())
    EXPECT_EQ(column.size(), graph.edge_count()) << name;
  std::size_t bends = 0;
  for (const json& count : view["edges"]["bends"]) bends += count.get<std::size_t>();
  EXPECT_EQ(view["bends"].size(), 2 * bends);
  const json pairs = json::parse(interaction_view(graph));
  EXPECT_EQ(pairs["edges"]["from"].size(), graph.edge_count());
  for (std::size_t i = 0; i < pairs["edges"]["from"].size(); ++i)
    EXPECT_LT(pairs["edges"]["from"][i], pairs["edges"]["to"][i]);
}

TEST_F(PageFixture, texts_of_pages_cannot_end_their_script) {
  if (page_bundle().script.empty()) GTEST_SKIP() << "built without node";
  const std::string html =
      to_html({.title = "</title><b>", .says = "</script>", .facts = {}, .views = {graph_view(graph)}});
  EXPECT_THAT(html, HasSubstr("t#0/\\u003cb>"));
  EXPECT_THAT(html, HasSubstr("<title>&lt;/title&gt;&lt;b&gt;</title>"));
  EXPECT_THAT(html, Not(HasSubstr("\"</script>")));
  EXPECT_THAT(html, HasSubstr(std::string(page_bundle().script_hash)));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-")));
}

TEST(PageStyle, has_the_palette_of_the_pictures) {
  if (page_bundle().style.empty()) GTEST_SKIP() << "built without node";
  // The bundler shortens #ffffff.
  const auto shortest = [](std::string colour) {
    if (colour[1] == colour[2] && colour[3] == colour[4] && colour[5] == colour[6])
      colour = {'#', colour[1], colour[3], colour[5]};
    return colour;
  };
  const std::string style(page_bundle().style);
  for (const Colour& colour : palette)
    for (const std::string_view shade : {colour.light, colour.dark})
      EXPECT_TRUE(style.find("--" + std::string(colour.name) + ": " + std::string(shade)) !=
                      std::string::npos ||
                  style.find("--" + std::string(colour.name) + ":" + shortest(std::string(shade))) !=
                      std::string::npos)
          << colour.name << ' ' << shade;
}

}  // namespace
}  // namespace takt
