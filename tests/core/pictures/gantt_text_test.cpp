#include "core/pictures/gantt_text.hpp"

#include <sstream>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"

namespace takt {
namespace {

/// Two tasks on processors 0 and 2, a message between them, a blank tick before the second task.
Schedule two_tasks(Time::rep stretch) {
  const auto at = [stretch](Time::rep time) { return Time(time * stretch); };
  Schedule schedule("x", 3);
  const MessageId message =
      schedule.add_message(ProcessorId(0), ProcessorId(2), Bytes{1}, std::array{DatumId(0)});
  schedule.add_compute(ProcessorId(0), TaskId(0), at(0), at(2));
  schedule.add_send(ProcessorId(0), message, at(2), at(3));
  schedule.add_receive(ProcessorId(2), message, at(4), at(5));
  schedule.add_compute(ProcessorId(2), TaskId(1), at(6), at(7));
  return schedule;
}

TEST(GanttText, draws_whole_characters_per_tick_if_they_fit) {
  const TaskGraph graph = generate("chain:depth=1,cost=2/1");
  EXPECT_EQ(draw_gantt(two_tasks(1), graph, 100),
            "0 |[0-----]>>>>\n"
            "2 |                <<<<....[1-]\n"
            "   0           3           6\n"
            "   [task]  > send  < receive  . blank; idle: P1\n");
  EXPECT_EQ(draw_gantt(two_tasks(1), graph, 11),
            "0 |[]>\n"
            "2 |    <.#\n"
            "   0\n"
            "   [task]  > send  < receive  . blank; idle: P1\n");
}

TEST(GanttText, fits_long_schedules_into_the_width) {
  const TaskGraph graph = generate("chain:depth=1,cost=2/1");
  EXPECT_EQ(draw_gantt(two_tasks(1'000'000), graph, 22),
            "0 |[0--]>>>\n"
            "2 |          <<<..[1]\n"
            "   0           4666667\n"
            "   [task]  > send  < receive  . blank; idle: P1\n");
  for (std::size_t width : {5U, 6U, 8U, 14U, 80U}) {
    std::istringstream lines(draw_gantt(two_tasks(1'000'000), graph, width));
    std::string line;
    for (int processors = 2; processors > 0 && std::getline(lines, line); --processors)
      EXPECT_LE(line.size(), width) << line;
  }
}

TEST(GanttText, begins_with_the_first_operation) {
  Schedule schedule("x", 1);
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{100}, Time{102});
  EXPECT_EQ(draw_gantt(schedule, generate("chain:depth=0"), 20),
            "0 |[0-----]\n"
            "   100\n"
            "   [task]  > send  < receive  . blank\n");
}

TEST(GanttText, is_empty_for_an_empty_schedule) {
  EXPECT_EQ(draw_gantt(Schedule("x", 2), TaskGraph(), 80), "");
}

}  // namespace
}  // namespace takt
