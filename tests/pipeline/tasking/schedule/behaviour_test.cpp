#include <algorithm>
#include <csignal>
#include <string>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"

// What the guide states beyond its own programs: limits, order, spawning, entries, locks, stops.

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Schedule : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  }
  /// Runs the program with 1, 2, 4 and 7 workers, which it reads; it prints this each time.
  static void expect_output(const std::string& source, const std::string& out) {
    const test::FortranProgram program(source);
    for (const int workers : test::worker_counts) {
      const test::Result result = program.run(std::to_string(workers));
      EXPECT_EQ(result.exit_code, 0) << result.err;
      EXPECT_EQ(result.out, out) << workers << " workers";
    }
  }
};

/// A main program that runs `paralg` and prints `m`.
const std::string main_program =
    "      program main\n"
    "      common /shared/ m,mytag,kval(1000),ktag(1000),ilock,nent(10)\n"
    "      external paralg\n"
    "      read (5,*) nprocs\n"
    "      mytag = 1\n"
    "      call lckasn(ilock)\n"
    "      call sched(nprocs,paralg)\n"
    "      write(6,'(i8)') m\n"
    "      end\n";
const std::string shared = "      common /shared/ m,mytag,kval(1000),ktag(1000),ilock,nent(10)\n";
const std::string one_unit = "      subroutine paralg\n" + shared +
                             "      external work\n"
                             "      call dep(1,0,0,m)\n"
                             "      call putq(1,work,mytag)\n"
                             "      end\n";

TEST_F(Schedule, AThousandTagsWithTwentyFiveDependentsRun) {
  // Tag j + 1 depends on tags j - 24 to j.
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      integer list(25)\n"
                    "      external work\n"
                    "      do 20 j = 1,1000\n"
                    "      ncheks = min(25,1000-j)\n"
                    "      do 10 i = 1,ncheks\n"
                    "   10 list(i) = j + i\n"
                    "      ktag(j) = j\n"
                    "      call dep(j,min(25,j-1),ncheks,list)\n"
                    "   20 call putq(j,work,ktag(j))\n"
                    "      end\n"
                    "      subroutine work(j)\n" +
                    shared +
                    "      if (m .eq. j - 1) m = j\n"
                    "      end\n",
                "    1000\n");
}

TEST_F(Schedule, ValuesOfDepAreTakenAtTheCallAndThoseOfParametersWhenTheUnitRuns) {
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      external work\n"
                    "      integer jobtag,icango,ncheks,list(1)\n"
                    "      jobtag = 1\n"
                    "      icango = 0\n"
                    "      ncheks = 0\n"
                    "      kval(1) = 5\n"
                    "      call dep(jobtag,icango,ncheks,list)\n"
                    "      call putq(jobtag,work,kval(1),m)\n"
                    "      jobtag = 9\n"
                    "      icango = 3\n"
                    "      kval(1) = 42\n"
                    "      end\n"
                    "      subroutine work(k,n)\n"
                    "      n = k\n"
                    "      end\n",
                "      42\n");
}

TEST_F(Schedule, TwentyParametersAndCharactersArriveAndNoneDoToo) {
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      character*5 word\n"
                    "      common /text/ word\n"
                    "      external many,none,names\n"
                    "      integer list(1)\n"
                    "      list(1) = 3\n"
                    "      do 10 i = 1,20\n"
                    "   10 kval(i) = i\n"
                    "      word = 'abcde'\n"
                    "      call dep(1,0,1,list)\n"
                    "      call putq(1,many,kval(1),kval(2),kval(3),kval(4),kval(5),kval(6),\n"
                    "     & kval(7),kval(8),kval(9),kval(10),kval(11),kval(12),kval(13),\n"
                    "     & kval(14),kval(15),kval(16),kval(17),kval(18),kval(19),kval(20))\n"
                    "      call dep(2,0,1,list)\n"
                    "      call putq(2,names,word,kval(100))\n"
                    "      call dep(3,2,0,list)\n"
                    "      call putq(3,none)\n"
                    "      end\n"
                    "      subroutine many(i1,i2,i3,i4,i5,i6,i7,i8,i9,i10,i11,i12,i13,i14,\n"
                    "     & i15,i16,i17,i18,i19,i20)\n" +
                    shared +
                    "      kval(200) = i1+2*i2+i3+i4+i5+i6+i7+i8+i9+i10+i11+i12+i13+i14+\n"
                    "     & i15+i16+i17+i18+i19+3*i20\n"
                    "      end\n"
                    "      subroutine names(text,k)\n"
                    "      character*(*) text\n"
                    "      k = 1000*len(text)\n"
                    "      end\n"
                    "      subroutine none\n" +
                    shared +
                    "      m = kval(200) + kval(100)\n"
                    "      end\n",
                "    5252\n");  // 210 + 2 + 40 + 5000
}

TEST_F(Schedule, EachSchedBeginsWithTagOne) {
  expect_output("      program main\n" + shared +
                    "      external paralg\n"
                    "      read (5,*) nprocs\n"
                    "      do 10 i = 1,20\n"
                    "      mytag = 1\n"
                    "   10 call sched(nprocs,paralg)\n"
                    "      write(6,'(i8)') m\n"
                    "      end\n" +
                    one_unit + "      subroutine work(mytag)\n" + shared.substr(0, 22) +
                    "m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      external child\n"
                    "      call nxtag(mytag,j)\n"
                    "      if (j .eq. 2) call spawn(mytag,j,child,m)\n"
                    "      end\n"
                    "      subroutine child(n)\n"
                    "      n = n + 1\n"
                    "      end\n",
                "      20\n");
}

TEST_F(Schedule, SpawnedUnitsSpawnByTheSameRules) {
  // Sums 1 to 64 by halves: 127 units, of which each but a leaf spawns two and goes on at its second entry.
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      external half\n"
                    "      ktag(1) = 1\n"
                    "      nent(1) = 1\n"
                    "      call dep(1,0,0,m)\n"
                    "      call putq(1,half,ktag(1),ktag(1))\n"
                    "      end\n"
                    "      subroutine half(mytag,node)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      common /nodes/ nodes(1000)\n"
                    "      integer node\n"
                    "      if (node .ge. 64) then\n"
                    "         kval(node) = node - 63\n"
                    "         return\n"
                    "      endif\n"
                    "      go to (1000,2000),ientry(mytag,2)\n"
                    " 1000 continue\n"
                    "      do 10 i = 2*node,2*node+1\n"
                    "      nodes(i) = i\n"
                    "      call nxtag(mytag,j)\n"
                    "      ktag(j) = j\n"
                    "   10 call spawn(mytag,j,half,ktag(j),nodes(i))\n"
                    "      return\n"
                    " 2000 continue\n"
                    "      kval(node) = kval(2*node) + kval(2*node+1)\n"
                    "      if (node .eq. 1) m = kval(1)\n"
                    "      end\n",
                "    2080\n");
}

TEST_F(Schedule, AnyNumberOfChildrenIsAwaitedNoneToo) {
  // Entry e spawns e - 1 children; after the entry without children the next one follows at once.
  expect_output(main_program + one_unit +
                    "      subroutine work(mytag)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      external child\n"
                    "      ient = ientry(mytag,5)\n"
                    "      if (m .ne. 10*(ient-2)*(ient-1)/2) nent(10) = 1\n"
                    "      do 10 i = 1,ient-1\n"
                    "      call nxtag(mytag,j)\n"
                    "   10 call spawn(mytag,j,child)\n"
                    "      end\n"
                    "      subroutine child\n" +
                    shared +
                    "      call lockon(ilock)\n"
                    "      m = m + 10\n"
                    "      if (nent(10) .ne. 0) m = -1000\n"
                    "      call lockoff(ilock)\n"
                    "      end\n",
                "     100\n");
}

TEST_F(Schedule, WaitReturnsToAnyLabelAgainAndAgain) {
  // Entry 2 is its own label until ten rounds have passed; then entry 3 follows.
  expect_output(main_program + one_unit +
                    "      subroutine work(mytag)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      logical wait\n"
                    "      external child\n"
                    "      go to (1000,2000,3000),ientry(mytag,3)\n"
                    " 1000 nent(1) = 0\n"
                    " 2000 nent(1) = nent(1) + 1\n"
                    "      if (nent(1) .gt. 10) return\n"
                    "      call nxtag(mytag,j)\n"
                    "      call spawn(mytag,j,child)\n"
                    "      if (wait(mytag,2)) return\n"
                    "      go to 2000\n"
                    " 3000 m = m + 1000*nent(1)\n"
                    "      end\n"
                    "      subroutine child\n" +
                    shared +
                    "      m = m + 1\n"
                    "      end\n",
                "   11010\n");
}

TEST_F(Schedule, WaitIsFalseWhenAllChildrenHaveCompleted) {
  // At entry 2 no child is left: wait goes on, its label 3 counts as entered, and entry 4 is next.
  expect_output(main_program + one_unit +
                    "      subroutine work(mytag)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      logical wait\n"
                    "      external child\n"
                    "      go to (1000,2000,3000,4000),ientry(mytag,4)\n"
                    " 1000 call nxtag(mytag,j)\n"
                    "      call spawn(mytag,j,child)\n"
                    "      return\n"
                    " 2000 m = m + 10\n"
                    "      if (wait(mytag,3)) return\n"
                    " 3000 m = m + 100\n"
                    "      return\n"
                    " 4000 m = m + 1000\n"
                    "      end\n"
                    "      subroutine child\n" +
                    shared +
                    "      m = m + 1\n"
                    "      end\n",
                "    1111\n");
}

TEST_F(Schedule, ChildrenOfTheLastEntryAreAwaited) {
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      external work,last\n"
                    "      integer list(1)\n"
                    "      list(1) = 2\n"
                    "      call dep(1,0,1,list)\n"
                    "      call putq(1,work,mytag)\n"
                    "      call dep(2,1,0,list)\n"
                    "      call putq(2,last)\n"
                    "      end\n"
                    "      subroutine work(mytag)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      external child\n"
                    "      ient = ientry(mytag,2)\n"
                    "      do 10 i = 1,100\n"
                    "      call nxtag(mytag,j)\n"
                    "   10 call spawn(mytag,j,child,kval(100*ient+i))\n"
                    "      end\n"
                    "      subroutine child(k)\n"
                    "      k = 1\n"
                    "      end\n"
                    "      subroutine last\n" +
                    shared +
                    "      do 10 i = 101,300\n"
                    "   10 m = m + kval(i)\n"
                    "      end\n",
                "     200\n");
}

TEST_F(Schedule, ALockIsAnIntegerThatTheProgramReads) {
  expect_output(main_program + one_unit +
                    "      subroutine work(mytag)\n"
                    "      common /shared/ m,mtag,kval(1000),ktag(1000),ilock,nent(10)\n"
                    "      m = ilock\n"
                    "      call lockon(ilock)\n"
                    "      m = m + 10*ilock\n"
                    "      call unlock(ilock)\n"
                    "      m = m + 100*ilock\n"
                    "      end\n",
                "      10\n");
}

TEST_F(Schedule, UnitsThatWriteInTurnAreOrderedByLocks) {
  // The second unit waits until the first one turns its lock off: a pipeline of two, which needs two workers.
  const test::FortranProgram program(
      "      program main\n"
      "      common /shared/ m,ilock,ktag(2)\n"
      "      external paralg\n"
      "      read (5,*) nprocs\n"
      "      call lckasn(ilock)\n"
      "      call lockon(ilock)\n"
      "      call sched(nprocs,paralg)\n"
      "      write(6,'(i8)') m\n"
      "      end\n"
      "      subroutine paralg\n"
      "      common /shared/ m,ilock,ktag(2)\n"
      "      external second,first,last\n"
      "      integer list(1)\n"
      "      list(1) = 3\n"
      "      call dep(1,0,1,list)\n"
      "      call putq(1,second)\n"
      "      call dep(2,0,1,list)\n"
      "      call putq(2,first)\n"
      "      call dep(3,2,0,list)\n"
      "      call putq(3,last)\n"
      "      end\n"
      "      subroutine second\n"
      "      common /shared/ m,ilock,ktag(2)\n"
      "      call lockon(ilock)\n"
      "      m = 10*m\n"
      "      end\n"
      "      subroutine first\n"
      "      common /shared/ m,ilock,ktag(2)\n"
      "      m = 7\n"
      "      call lockoff(ilock)\n"
      "      end\n"
      "      subroutine last\n"
      "      end\n");
  for (const char* workers : {"2", "4", "7"}) EXPECT_EQ(program.run(workers).out, "      70\n");
  const test::Result alone = program.run("1");
  EXPECT_EQ(alone.exit_code, 1);
  EXPECT_THAT(alone.err, HasSubstr("tag 1: lockon"));
}

TEST_F(Schedule, StopInAUnitEndsTheProgramWithItsStatus) {
  const test::FortranProgram program(main_program + one_unit +
                                     "      subroutine work(mytag)\n"
                                     "      stop 7\n"
                                     "      end\n");
  for (const int workers : test::worker_counts) EXPECT_EQ(program.run(std::to_string(workers)).exit_code, 7);
}

TEST_F(Schedule, LocalArraysBelongToOneExecution) {
  expect_output(main_program + "      subroutine paralg\n" + shared +
                    "      external work,last\n"
                    "      integer list(1)\n"
                    "      list(1) = 31\n"
                    "      do 10 j = 1,30\n"
                    "      kval(j) = j\n"
                    "      call dep(j,0,1,list)\n"
                    "   10 call putq(j,work,kval(j),ktag(j))\n"
                    "      call dep(31,30,0,list)\n"
                    "      call putq(31,last)\n"
                    "      end\n"
                    "      subroutine work(k,isum)\n"
                    "      integer large(500000)\n"
                    "      do 10 i = 1,500000\n"
                    "   10 large(i) = k\n"
                    "      isum = 0\n"
                    "      do 20 i = 1,500000\n"
                    "   20 isum = isum + large(i) - k + 1\n"
                    "      end\n"
                    "      subroutine last\n" +
                    shared +
                    "      do 10 i = 1,30\n"
                    "   10 if (ktag(i) .eq. 500000) m = m + 1\n"
                    "      end\n",
                "      30\n");
}

TEST_F(Schedule, OneWorkerRunsLeavesInTheOrderOfPutqAndDependentsInTheOrderOfTheList) {
  const test::FortranProgram program(
      "      program main\n"
      "      external paralg\n"
      "      call sched(1,paralg)\n"
      "      end\n"
      "      subroutine paralg\n"
      "      common /tags/ ktag(6)\n"
      "      external show\n"
      "      integer list(3)\n"
      "      do 10 i = 1,6\n"
      "   10 ktag(i) = i\n"
      "      list(1) = 5\n"
      "      list(2) = 3\n"
      "      list(3) = 4\n"
      "      call dep(2,0,3,list)\n"
      "      call putq(2,show,ktag(2))\n"
      "      list(1) = 6\n"
      "      call dep(1,0,1,list)\n"
      "      call putq(1,show,ktag(1))\n"
      "      do 20 i = 3,5\n"
      "      call dep(i,1,1,list)\n"
      "   20 call putq(i,show,ktag(i))\n"
      "      call dep(6,4,0,list)\n"
      "      call putq(6,show,ktag(6))\n"
      "      end\n"
      "      subroutine show(k)\n"
      "      write(6,'(i2,$)') k\n"
      "      end\n");
  EXPECT_THAT(program.run("").out, StartsWith(" 2 1 5 3 4 6"));
}

TEST_F(Schedule, APriorityChangesUntilTheUnitStarts) {
  const test::FortranProgram program(
      "      program main\n"
      "      external paralg\n"
      "      read (5,*) nprocs\n"
      "      call sched(nprocs,paralg)\n"
      "      end\n"
      "      subroutine paralg\n"
      "      common /tags/ ktag(6)\n"
      "      external show\n"
      "      integer list(1)\n"
      "      list(1) = 6\n"
      "      do 10 i = 1,5\n"
      "      ktag(i) = i\n"
      "      call dep(i,0,1,list)\n"
      "   10 call putq(i,show,ktag(i))\n"
      "      ktag(6) = 6\n"
      "      call dep(6,5,0,list)\n"
      "      call putq(6,show,ktag(6))\n"
      "      call setpri(1,-1)\n"
      "      call setpri(4,5)\n"
      "      end\n"
      "      subroutine show(k)\n"
      "      external leaf\n"
      "      write(6,'(i2,$)') k\n"
      "      if (k .ne. 4) return\n"
      "      call setpri(3,1)\n"
      "      call setpri(4,9)\n"
      "      call nxtag(k,jobtag)\n"
      "      call setpri(jobtag,2)\n"
      "      call spawn(k,jobtag,leaf)\n"
      "      end\n"
      "      subroutine leaf\n"
      "      write(6,'(i2,$)') 7\n"
      "      end\n");
  EXPECT_THAT(program.run("1").out, StartsWith(" 4 7 3 2 5 1 6"));
  for (const int workers : test::worker_counts) {
    const test::Result result = program.run(std::to_string(workers));
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(std::ranges::count(result.out, ' '), 7) << result.out;
  }
}

TEST_F(Schedule, TheModernModuleChangesPriorities) {
  const test::FortranProgram program(
      "program modern\n"
      "  use, intrinsic :: iso_c_binding\n"
      "  use takt_schedule\n"
      "  implicit none\n"
      "  call sched(1_c_int64_t, describe, c_null_ptr)\n"
      "contains\n"
      "  subroutine describe(tag, context) bind(C)\n"
      "    integer(c_int64_t), value :: tag\n"
      "    type(c_ptr), value :: context\n"
      "    integer(c_int64_t) :: none(0), i\n"
      "    do i = 1, 3\n"
      "      call dep(i, 0_c_int64_t, [4_c_int64_t])\n"
      "      call putq(i, show, c_null_ptr)\n"
      "    end do\n"
      "    call dep(4_c_int64_t, 3_c_int64_t, none)\n"
      "    call putq(4_c_int64_t, show, c_null_ptr)\n"
      "    if (.not. set_priority(3_c_int64_t, 1)) stop 1\n"
      "  end subroutine describe\n"
      "  subroutine show(tag, context) bind(C)\n"
      "    integer(c_int64_t), value :: tag\n"
      "    type(c_ptr), value :: context\n"
      "    if (tag == 3 .and. set_priority(3_c_int64_t, 1)) stop 2\n"
      "    write (*, '(i2)', advance='no') tag\n"
      "  end subroutine show\n"
      "end program modern\n");
  const test::Result result = program.run("");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith(" 3 1 2 4"));
}

TEST_F(Schedule, ALaterSchedGoesOnInTheTraceAndAHangIsSeenInIt) {
  const test::FortranProgram program(
      "      program main\n"
      "      common /shared/ m\n"
      "      external paralg\n"
      "      call sched(2,paralg)\n"
      "      m = 1\n"
      "      call sched(2,paralg)\n"
      "      end\n"
      "      subroutine paralg\n"
      "      external work\n"
      "      call dep(1,0,0,m)\n"
      "      call putq(1,work)\n"
      "      end\n"
      "      subroutine work\n"
      "      common /shared/ m\n"
      "      volatile m\n"
      "   10 if (m .eq. 1) go to 10\n"
      "      end\n");
  const std::string command = "TAKT_SCHEDULE_TRACE='" + program.path("trace").string() + "' exec '" +
                              program.path("program").string() + "'";
  const std::string all = "0 1 0 0\n1 1\n2 1 T\n0 1 0 0\n1 1\n";
  test::Program hanging({"sh", "-c", command});
  EXPECT_TRUE(
      hanging.await([&] { return test::without_times(test::read_file(program.path("trace"))) == all; }));
  hanging.signal(SIGTERM);
  EXPECT_EQ(hanging.wait().exit_code, 128 + SIGTERM);
  EXPECT_EQ(test::without_times(test::read_file(program.path("trace"))), all);
}

TEST_F(Schedule, TheTraceLibraryWritesTraceGraph) {
  const test::FortranProgram program(main_program + one_unit +
                                     "      subroutine work(mytag)\n"
                                     "      end\n");
  const std::string command = "cd '" + program.path("").string() +
                              "' && gfortran -w program.f -o traced -L" TAKT_SCHEDULE_FOLDER
                              " -ltakt_schedule_trace -Wl,-rpath," TAKT_SCHEDULE_FOLDER
                              " && echo 1 | ./traced";
  EXPECT_EQ(test::Program({"sh", "-c", command}).wait().exit_code, 0);
  EXPECT_EQ(test::without_times(test::read_file(program.path("trace.graph"))), "0 1 0 0\n1 1\n2 1 T\n");
}

TEST_F(Schedule, ATraceIsCompleteWhenTheProgramStops) {
  const test::FortranProgram program(main_program + one_unit +
                                     "      subroutine work(mytag)\n"
                                     "      stop 3\n"
                                     "      end\n");
  EXPECT_EQ(program.run("1", "trace").exit_code, 3);
  EXPECT_EQ(test::read_file(program.path("trace")), "0 1 0 0\n1 1\n");
}

}  // namespace
}  // namespace takt
