#include <string>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"

// Wrong descriptions of dependencies, found by what units say that they read and write
// (TAKT_SCHEDULE_CHECK=1), or by what they do (TAKT_SCHEDULE_CHECK=memory).

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

/// Without what it says that it touches.
std::string silent(std::string source) {
  for (std::size_t at; (at = source.find("      call touches")) != std::string::npos;)
    source.erase(at, source.find('\n', at) + 1 - at);
  return source;
}

test::Result checked(const test::FortranProgram& program, int workers) {
  return program.run(std::to_string(workers), "", "TAKT_SCHEDULE_CHECK=1");
}

test::Result watched(const test::FortranProgram& program, const std::string& input) {
  return program.run(input, "", "TAKT_SCHEDULE_CHECK=memory");
}

/// Watching takes a processor whose instructions are known.
#ifdef __x86_64__
constexpr bool may_watch = true;
#else
constexpr bool may_watch = false;
#endif

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

TEST(ScheduleWatch, FindsWhatUnitsDoAndDoNotSay) {
  if (!test::has_gfortran() || !may_watch) GTEST_SKIP() << "gfortran is not installed, or no x86-64";
  for (const char* const each : {right, chain}) {
    const test::Result result = watched(test::FortranProgram(silent(program(each))), "4");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "done\n");
    EXPECT_THAT(result.err, IsEmpty());
  }
  const test::FortranProgram compiled(silent(program(wrong)));
  for (const int workers : test::worker_counts) {
    const test::Result result = watched(compiled, std::to_string(workers));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(
        result.err,
        "schedule: tag 2: writes bytes 20 to 39 of a, which tag 3 reads, and neither comes before the other; "
        "rule: units that use what others write are ordered by dependencies, or hold the same lock\n");
  }
}

/// Twelve units with random dependencies, each of which uses six random elements of two arrays.
const char* const random_program =
    "      program main\n"
    "      common /shared/ a(400),b(400),half(12),iseed,isays\n"
    "      common /graph/ lists(12,12),n(12),icount(12)\n"
    "      double precision b\n"
    "      integer half\n"
    "      external paralg\n"
    "      read (5,*) iseed,isays\n"
    "      call nmarry('a',a,1600)\n"
    "      call nmarry('b',b,3200)\n"
    "      call sched(2,paralg)\n"
    "      write(6,'(a)') 'done'\n"
    "      end\n"
    "      integer function next(m)\n"
    "      common /shared/ a(400),b(400),half(12),iseed,isays\n"
    "      common /graph/ lists(12,12),n(12),icount(12)\n"
    "      double precision b\n"
    "      integer half\n"
    "      iseed = mod(1103*iseed+12345,65536)\n"
    "      next = mod(iseed/16,m)\n"
    "      end\n"
    "      subroutine paralg\n"
    "      common /shared/ a(400),b(400),half(12),iseed,isays\n"
    "      common /graph/ lists(12,12),n(12),icount(12)\n"
    "      common /draws/ idraw(12,6,3)\n"
    "      double precision b\n"
    "      integer half\n"
    "      external work\n"
    "      do 20 i = 1,11\n"
    "      do 10 j = i+1,12\n"
    "      if (next(3) .ne. 0 .and. (j .lt. 12 .or. n(i) .gt. 0)) go to 10\n"
    "      n(i) = n(i) + 1\n"
    "      lists(n(i),i) = j\n"
    "      icount(j) = icount(j) + 1\n"
    "   10 continue\n"
    "   20 continue\n"
    "      do 40 i = 1,12\n"
    "      half(i) = i\n"
    "      do 30 m = 1,6\n"
    "      idraw(i,m,1) = 1 + next(400)\n"
    "      idraw(i,m,2) = next(4)\n"
    "   30 idraw(i,m,3) = next(2)\n"
    "      call dep(i,icount(i),n(i),lists(1,i))\n"
    "   40 call putq(i,work,half(i))\n"
    "      end\n"
    "      subroutine work(k)\n"
    "      common /shared/ a(400),b(400),half(12),iseed,isays\n"
    "      common /graph/ lists(12,12),n(12),icount(12)\n"
    "      common /draws/ idraw(12,6,3)\n"
    "      common /sums/ sum(12)\n"
    "      double precision b\n"
    "      integer half\n"
    "      do 10 m = 1,6\n"
    "      l = idraw(k,m,1)\n"
    "      iw = 0\n"
    "      if (idraw(k,m,2) .eq. 0) iw = 1\n"
    "      if (idraw(k,m,3) .eq. 0) then\n"
    "      if (isays .eq. 1) call touches(a(l),4,iw)\n"
    "      if (iw .eq. 1) a(l) = k\n"
    "      if (iw .eq. 0) sum(k) = sum(k) + a(l)\n"
    "      else\n"
    "      if (isays .eq. 1) call touches(b(l),8,iw)\n"
    "      if (iw .eq. 1) b(l) = k\n"
    "      if (iw .eq. 0) sum(k) = sum(k) + b(l)\n"
    "      end if\n"
    "   10 continue\n"
    "      end\n";

TEST(ScheduleWatch, FindsTheSameAsDeclarationsInRandomPrograms) {
  if (!test::has_gfortran() || !may_watch) GTEST_SKIP() << "gfortran is not installed, or no x86-64";
  const test::FortranProgram compiled(random_program);
  int wrong_ones = 0;
  for (int seed = 1; seed <= 30; ++seed) {
    const test::Result said = compiled.run(std::to_string(seed) + " 1", "", "TAKT_SCHEDULE_CHECK=1");
    const test::Result seen = watched(compiled, std::to_string(seed) + " 0");
    EXPECT_EQ(seen.err, said.err) << "seed " << seed;
    EXPECT_EQ(seen.exit_code, said.exit_code);
    wrong_ones += said.exit_code;
  }
  EXPECT_GT(wrong_ones, 3);
  EXPECT_LT(wrong_ones, 30);
}

/// One unit fills an array, and one copies it, unordered.
TEST(ScheduleWatch, CopiesOfWholeArraysAreSeenByteByByte) {
  if (!test::has_gfortran() || !may_watch) GTEST_SKIP() << "gfortran is not installed, or no x86-64";
  const test::FortranProgram compiled(
      "      program main\n"
      "      common /shared/ a(5000),c(3),b(5000)\n"
      "      external paralg\n"
      "      call nmarry('a',a,20000)\n"
      "      call nmarry('b',b,20000)\n"
      "      call sched(2,paralg)\n"
      "      end\n"
      "      subroutine paralg\n"
      "      external fill,copy,last\n"
      "      integer list(1)\n"
      "      list(1) = 3\n"
      "      call dep(1,0,1,list)\n"
      "      call putq(1,fill)\n"
      "      call dep(2,0,1,list)\n"
      "      call putq(2,copy)\n"
      "      call dep(3,2,0,list)\n"
      "      call putq(3,last)\n"
      "      end\n"
      "      subroutine fill\n"
      "      common /shared/ a(5000),c(3),b(5000)\n"
      "      a(2:4000) = 0\n"
      "      end\n"
      "      subroutine copy\n"
      "      common /shared/ a(5000),c(3),b(5000)\n"
      "      b = a\n"
      "      end\n"
      "      subroutine last\n"
      "      common /shared/ a(5000),c(3),b(5000)\n"
      "      write(6,'(f4.1)') b(1)\n"
      "      end\n");
  const test::Result result = watched(compiled, "");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, " 0.0\n");
  EXPECT_EQ(
      result.err,
      "schedule: tag 1: writes bytes 4 to 15999 of a, which tag 2 reads, and neither comes before the other; "
      "rule: units that use what others write are ordered by dependencies, or hold the same lock\n");
}

TEST(ScheduleWatch, NeedsNamedArraysAndAKnownValue) {
  if (!test::has_gfortran() || !may_watch) GTEST_SKIP() << "gfortran is not installed, or no x86-64";
  std::string unnamed = program(right);
  unnamed.erase(unnamed.find("      call nmarry"), std::string("      call nmarry('a   ',a,40)\n").size());
  const test::FortranProgram compiled(unnamed);
  const test::Result result = watched(compiled, "1");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no array has a name; rule: nmarry names the arrays"));
  const test::Result other = compiled.run("1", "", "TAKT_SCHEDULE_CHECK=yes");
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.err, HasSubstr("TAKT_SCHEDULE_CHECK=yes; rule: TAKT_SCHEDULE_CHECK is 0, 1 or memory"));
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
    if (!may_watch) continue;
    std::string acting = family(each.first, each.later);
    const std::string call = "call touches(x,4,1)";
    for (std::size_t at; (at = acting.find(call)) != std::string::npos;)
      acting.replace(at, call.size(), "x = x + 1");
    const test::Result result = watched(test::FortranProgram(acting), "2");
    EXPECT_EQ(result.exit_code, each.is_right ? 0 : 1) << each.first << each.later << result.err;
    if (!each.is_right) {
      EXPECT_THAT(result.err, HasSubstr("schedule: tag 1: writes bytes 0 to 3 of x, which tag 2 writes"));
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
