#include <string>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"

// Wrong descriptions of dependencies, found by what units say that they read and write
// (TAKT_SCHEDULE_CHECK=1).

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Units 1 and 2 write halves of an array, unit 3 adds them; it depends on those of `list`.
std::string program(const std::string& dependencies) {
  return "      program main\n"
         "      common /shared/ half(2),a(10),total\n"
         "      integer half\n"
         "      external paralg\n"
         "      read (5,*) nprocs\n"
         "      half(1) = 1\n"
         "      half(2) = 2\n"
         "      call nmarry('a   ',a,40)\n"
         "      call sched(nprocs,paralg)\n"
         "      write(6,'(a)') 'done'\n"
         "      end\n"
         "      subroutine paralg\n"
         "      common /shared/ half(2),a(10),total\n"
         "      integer half,list(2)\n"
         "      external fill,add\n" +
         dependencies +
         "      call putq(1,fill,half(1))\n"
         "      call putq(2,fill,half(2))\n"
         "      call putq(3,add)\n"
         "      end\n"
         "      subroutine fill(k)\n"
         "      common /shared/ half(2),a(10),total\n"
         "      integer half\n"
         "      call touches(a(5*k-4),20,1)\n"
         "      do 10 i = 5*k-4,5*k\n"
         "   10 a(i) = i\n"
         "      end\n"
         "      subroutine add\n"
         "      common /shared/ half(2),a(10),total\n"
         "      integer half\n"
         "      call touches(a,40,0)\n"
         "      call touches(total,4,1)\n"
         "      total = 0\n"
         "      do 10 i = 1,10\n"
         "   10 total = total + a(i)\n"
         "      end\n";
}

const char* const right =
    "      list(1) = 3\n"
    "      call dep(1,0,1,list)\n"
    "      call dep(2,0,1,list)\n"
    "      call dep(3,2,0,list)\n";
/// Unit 3 follows unit 2 alone, which follows unit 1: that is right, too.
const char* const chain =
    "      list(1) = 2\n"
    "      call dep(1,0,1,list)\n"
    "      list(1) = 3\n"
    "      call dep(2,1,1,list)\n"
    "      call dep(3,1,0,list)\n";
/// Unit 1 is the last one, so unit 3 reads what it writes.
const char* const wrong =
    "      list(1) = 1\n"
    "      call dep(3,0,1,list)\n"
    "      list(1) = 1\n"
    "      call dep(2,0,1,list)\n"
    "      call dep(1,2,0,list)\n";

test::Result checked(const test::FortranProgram& program, int workers) {
  return program.run(std::to_string(workers), "", "TAKT_SCHEDULE_CHECK=1");
}

TEST(ScheduleCheck, RightDescriptionsPass) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  for (const char* const each : {right, chain}) {
    const test::FortranProgram compiled(program(each));
    for (const int workers : test::worker_counts) {
      const test::Result result = checked(compiled, workers);
      EXPECT_EQ(result.exit_code, 0);
      EXPECT_EQ(result.out, "done\n");
      EXPECT_THAT(result.err, IsEmpty());
    }
  }
}

TEST(ScheduleCheck, UnorderedUnitsAreNamedWithTheArray) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram compiled(program(wrong));
  for (const int workers : test::worker_counts) {
    const test::Result result = checked(compiled, workers);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(
        result.err,
        "schedule: tag 2: writes bytes 20 to 39 of a, which tag 3 reads, and neither comes before the other; "
        "rule: units that use what others write are ordered by dependencies, or hold the same lock\n");
    EXPECT_EQ(compiled.run(std::to_string(workers)).exit_code, 0) << "without the check it runs";
  }
}

/// A parent writes to x; its child reads it. What the parent does between and after is `later`.
std::string family(const std::string& first, const std::string& later) {
  return "      program main\n"
         "      common /shared/ mytag,x,ilock\n"
         "      external paralg\n"
         "      read (5,*) nprocs\n"
         "      mytag = 1\n"
         "      call lckasn(ilock)\n"
         "      call nmarry('x',x,4)\n"
         "      call sched(nprocs,paralg)\n"
         "      write(6,'(a)') 'done'\n"
         "      end\n"
         "      subroutine paralg\n"
         "      common /shared/ mytag,x,ilock\n"
         "      external parent\n"
         "      call dep(1,0,0,list)\n"
         "      call putq(1,parent,mytag)\n"
         "      end\n"
         "      subroutine parent(mytag)\n"
         "      common /shared/ mtag,x,ilock\n"
         "      external child\n"
         "      logical wait\n"
         "      go to (1000,2000),ientry(mytag,2)\n"
         " 1000 continue\n" +
         first +
         "      call nxtag(mytag,jobtag)\n"
         "      call spawn(mytag,jobtag,child)\n" +
         later +
         "      end\n"
         "      subroutine child\n"
         "      common /shared/ mytag,x,ilock\n"
         "      call lockon(ilock)\n"
         "      call touches(x,4,1)\n"
         "      call lockoff(ilock)\n"
         "      end\n";
}

TEST(ScheduleCheck, AParentIsOrderedBeforeTheSpawnAndAfterTheWait) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const std::string touch = "      call touches(x,4,1)\n";
  const std::string locked = "      call lockon(ilock)\n" + touch + "      call lockoff(ilock)\n";
  const std::string wait = "      if (wait(mytag,2)) return\n 2000 continue\n";
  const std::string entry = "      return\n 2000 continue\n";
  struct Case {
    std::string first, later;
    bool is_right;
  };
  for (const Case& each :
       {Case{touch, wait, true}, Case{"", wait + touch, true}, Case{"", entry + touch, true},
        Case{"", touch + wait, false}, Case{"", locked + entry, true}, Case{touch, entry + touch, true}}) {
    const test::FortranProgram compiled(family(each.first, each.later));
    for (const int workers : test::worker_counts) {
      const test::Result result = checked(compiled, workers);
      EXPECT_EQ(result.exit_code, each.is_right ? 0 : 1) << each.first << each.later << result.err;
      if (!each.is_right) {
        EXPECT_THAT(result.err, HasSubstr("schedule: tag 1: writes bytes 0 to 3 of x, which tag 2 writes"));
      }
    }
  }
}

TEST(ScheduleCheck, TheModernModuleHasIt) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(
      "program modern\n"
      "  use, intrinsic :: iso_c_binding\n"
      "  use takt_schedule\n"
      "  implicit none\n"
      "  integer, target :: total(4) = 0\n"
      "  call name_array('total', c_loc(total), 16_c_int64_t)\n"
      "  call sched(2_c_int64_t, describe, c_null_ptr)\n"
      "contains\n"
      "  subroutine describe(tag, context) bind(C)\n"
      "    integer(c_int64_t), value :: tag\n"
      "    type(c_ptr), value :: context\n"
      "    integer(c_int64_t) :: none(0)\n"
      "    call dep(1_c_int64_t, 0_c_int64_t, [3_c_int64_t])\n"
      "    call putq(1_c_int64_t, write, c_null_ptr)\n"
      "    call dep(2_c_int64_t, 0_c_int64_t, [3_c_int64_t])\n"
      "    call putq(2_c_int64_t, read, c_null_ptr)\n"
      "    call dep(3_c_int64_t, 2_c_int64_t, none)\n"
      "    call putq(3_c_int64_t, read, c_null_ptr)\n"
      "  end subroutine describe\n"
      "  subroutine write(tag, context) bind(C)\n"
      "    integer(c_int64_t), value :: tag\n"
      "    type(c_ptr), value :: context\n"
      "    call touches(c_loc(total(2)), 4_c_int64_t, touch_writes)\n"
      "  end subroutine write\n"
      "  subroutine read(tag, context) bind(C)\n"
      "    integer(c_int64_t), value :: tag\n"
      "    type(c_ptr), value :: context\n"
      "    call touches(c_loc(total), 16_c_int64_t, touch_reads)\n"
      "  end subroutine read\n"
      "end program modern\n");
  EXPECT_EQ(program.run("").exit_code, 0);
  const test::Result result = program.run("", "", "TAKT_SCHEDULE_CHECK=1");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      ::testing::StartsWith("schedule: tag 1: writes bytes 4 to 7 of total, which tag 2 reads, and neither"));
}

TEST(ScheduleCheck, ImpossibleTouchesAreRefused) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  for (const auto& [call, message] :
       {std::pair{"call touches(x,-1,0)", "tag 1: touches: -1 bytes"}, {"call touches(x,4,2)", "mode = 2"}}) {
    const test::FortranProgram program(
        family(std::string("      ") + call + "\n", "      return\n 2000 continue\n"));
    const test::Result result = checked(program, 1);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace takt
