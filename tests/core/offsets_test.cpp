#include "core/offsets.hpp"

#include <gtest/gtest.h>

namespace takt {
namespace {

/// a(500) -> b(1000) -> c(500) with a and c on processor 0, at a repetition of 1000 (frequency.md).
Schedule worked_example() {
  Schedule schedule("by hand", 2);
  schedule.repetition = Time{1000};
  const MessageId there = schedule.add_message(ProcessorId(0), ProcessorId(1), Bytes{1}, {});
  const MessageId back = schedule.add_message(ProcessorId(1), ProcessorId(0), Bytes{1}, {});
  schedule.add_compute(ProcessorId(0), TaskId(0), Time{500}, Time{1000});
  schedule.add_send(ProcessorId(0), there, Time{1000}, Time{1000});
  schedule.add_receive(ProcessorId(0), back, Time{2000}, Time{2000});
  schedule.add_compute(ProcessorId(0), TaskId(2), Time{2000}, Time{2500});
  schedule.add_receive(ProcessorId(1), there, Time{1000}, Time{1000});
  schedule.add_compute(ProcessorId(1), TaskId(1), Time{1000}, Time{2000});
  schedule.add_send(ProcessorId(1), back, Time{2000}, Time{2000});
  return schedule;
}

TEST(Offsets, count_whole_iterations_before_the_start) {
  const auto at = [](Time::rep start) {
    return offset_of({OperationKind::compute, 0, 0, Time{start}, Time{start + 1}}, Time{100});
  };
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(99), 0);
  EXPECT_EQ(at(100), 1);
  EXPECT_EQ(at(250), 2);
}

TEST(Offsets, AProgramIsInOrderOfTheStartWithinAnIteration) {
  const auto programs = iteration_programs(worked_example());
  ASSERT_EQ(programs.size(), 2U);
  // Send of the frame before, receive and c of the frame before that, then a of the newest frame.
  const std::vector<IterationStep> first{
      {1, 1, Time{0}}, {2, 2, Time{0}}, {3, 2, Time{0}}, {0, 0, Time{500}}};
  EXPECT_EQ(programs[0], first);
  // The send of the frame before has no length: it comes before b, which starts at the same time.
  const std::vector<IterationStep> second{{0, 1, Time{0}}, {2, 2, Time{0}}, {1, 1, Time{0}}};
  EXPECT_EQ(programs[1], second);
  EXPECT_EQ(largest_offset(worked_example()), 2);
}

TEST(Offsets, AScheduleThatIsNotPipelinedKeepsItsOrder) {
  Schedule schedule = worked_example();
  schedule.repetition.reset();
  const auto programs = iteration_programs(schedule);
  for (const auto& program : programs)
    for (std::uint32_t i = 0; i < program.size(); ++i) {
      EXPECT_EQ(program[i].operation, i);
      EXPECT_EQ(program[i].offset, 0);
    }
  EXPECT_EQ(programs[0][2].start, Time{2000});
  EXPECT_EQ(largest_offset(schedule), 0);
}

}  // namespace
}  // namespace takt
