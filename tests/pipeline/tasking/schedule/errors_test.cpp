#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/pipeline/tasking/schedule/fortran.hpp"

// Programs that break a rule: one message that names tag and rule, a status that is not 0, and never a hang.

namespace takt {
namespace schedule_errors_test {

using ::testing::HasSubstr;
using ::testing::Not;

/// A mistake: what `static` does, what unit 1 (`work`) does, and what the message says.
struct Mistake {
  const char* name;
  std::string description;
  std::string work;
  std::vector<std::string> message;
  std::vector<int> workers = {1, 2, 4, 7};
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

const std::string one_unit =
    "      call dep(1,0,0,list)\n"
    "      call putq(1,work,mytag,kval(1))\n";
const std::string two_units_end =
    "      call putq(1,work,mytag,kval(1))\n"
    "      call putq(2,work,mytag,kval(1))\n";

std::string program_of(const Mistake& mistake) {
  return "      program main\n"
         "      common /shared/ mytag,kval(40),m,ilock\n"
         "      external paralg\n"
         "      read (5,*) nprocs\n"
         "      mytag = 1\n"
         "      call sched(nprocs,paralg)\n"
         "      write(6,*) 'reached'\n"
         "      end\n"
         "      subroutine paralg\n"
         "      common /shared/ mytag,kval(40),m,ilock\n"
         "      integer list(1100)\n"
         "      external work,child\n"
         "      do 5 i = 1,1100\n"
         "    5 list(i) = 2\n" +
         mistake.description +
         "      end\n"
         "      subroutine work(mytag,k)\n"
         "      common /shared/ mtag,kval(40),m,ilock\n"
         "      logical wait\n"
         "      external child\n"
         "      integer local\n" +
         mistake.work +
         "      end\n"
         "      subroutine child(k)\n"
         "      common /shared/ mytag,kval(40),m,ilock\n"
         "      m = m + k\n"
         "      end\n";
}

std::vector<Mistake> mistakes() {
  const std::string chain =
      "      call dep(1,0,1,list)\n"
      "      call dep(2,1,0,list)\n";
  return {
      {"NoLeaf",
       "      call dep(1,1,1,list)\n      call dep(2,1,0,list)\n" + two_units_end,
       "",
       {"icango = 0", "tag", "at least one"}},
      {"NoEnd",
       "      call dep(1,0,1,list)\n      call dep(2,1,1,list)\n" + two_units_end,
       "",
       {"ncheks = 0", "exactly one"}},
      {"TwoEnds",
       "      call dep(1,0,0,list)\n      call dep(2,0,0,list)\n" + two_units_end,
       "",
       {"tags 1, 2", "exactly one"}},
      {"TagZero", "      call dep(0,0,0,list)\n", "", {"jobtag = 0", "1 to 1000"}},
      {"TagNegative", "      call dep(-3,0,0,list)\n", "", {"tag -3", "1 to 1000"}},
      {"TagTooHigh", "      call dep(1001,0,0,list)\n", "", {"tag 1001", "1 to 1000"}},
      {"TagTwice", "      call dep(1,0,0,list)\n      call dep(1,0,0,list)\n", "", {"tag 1", "second time"}},
      {"TagLeftOut",
       "      list(1) = 3\n      call dep(1,0,1,list)\n      call putq(1,work,mytag,kval(1))\n"
       "      call dep(3,1,0,list)\n      call putq(3,work,mytag,kval(1))\n",
       "",
       {"tag 2", "successive"}},
      {"TooManyDependents", "      call dep(1,0,26,list)\n", "", {"tag 1", "26", "0 to 25"}},
      {"NegativeDependents", "      call dep(1,0,-1,list)\n", "", {"tag 1", "-1", "0 to 25"}},
      {"NegativeIcango", "      call dep(1,-1,0,list)\n", "", {"tag 1", "icango = -1"}},
      {"DepWithoutPutq", chain + "      call putq(1,work,mytag,kval(1))\n", "", {"tag 2", "without putq"}},
      {"PutqWithoutDep", "      call putq(1,work,mytag,kval(1))\n", "", {"tag 1", "putq without dep"}},
      {"PutqTwice",
       one_unit + "      call putq(1,work,mytag,kval(1))\n",
       "",
       {"tag 1", "putq", "second time"}},
      {"NoUnit", "", "", {"without any unit", "at least one call"}},
      {"UnknownDependent",
       "      list(1) = 9\n      call dep(1,0,1,list)\n      call dep(2,0,0,list)\n" + two_units_end,
       "",
       {"tag 1", "tag 9", "no dep"}},
      {"IcangoTooHigh",
       "      call dep(1,0,1,list)\n      call dep(2,2,0,list)\n" + two_units_end,
       "",
       {"tag 2", "icango = 2", "1 lists"}},
      {"IcangoTooLow",
       "      list(2) = 3\n      call dep(1,0,2,list)\n      call dep(2,1,1,list(2))\n"
       "      call dep(3,1,0,list)\n" +
           two_units_end + "      call putq(3,work,mytag,kval(1))\n",
       "",
       {"tag 3", "icango = 1", "tags 1, 2"}},
      {"Circle",
       "      list(1) = 4\n      call dep(1,0,1,list)\n      list(1) = 3\n      call dep(2,1,1,list)\n"
       "      list(1) = 2\n      list(2) = 4\n      call dep(3,1,2,list)\n      call dep(4,2,0,list)\n" +
           two_units_end + "      call putq(3,work,mytag,kval(1))\n      call putq(4,work,mytag,kval(1))\n",
       "",
       {"tags 2, 3", "circle"}},
      {"TooManyChildren",
       one_unit,
       "      do 10 i = 1,1000\n      call nxtag(mytag,j)\n   10 call spawn(mytag,j,child,kval(1))\n",
       {"tag 1", "nxtag", "at most 1000"}},
      {"SpawnWithoutNxtag",
       one_unit,
       "      call spawn(mytag,2,child,kval(1))\n",
       {"tag 1", "without nxtag"}},
      {"SpawnOfAnotherTag",
       one_unit,
       "      call nxtag(mytag,j)\n      call spawn(mytag,j+1,child,kval(1))\n",
       {"tag 1", "tag 3", "tag 2"}},
      {"NxtagTwice", one_unit, "      call nxtag(mytag,j)\n      call nxtag(mytag,j)\n", {"tag 1", "nxtag"}},
      {"NxtagWithoutSpawn", one_unit, "      call nxtag(mytag,j)\n", {"tag 1", "nxtag without spawn"}},
      {"WaitWithoutSpawn",
       one_unit,
       "      go to (10,20),ientry(mytag,2)\n   10 if (wait(mytag,2)) return\n   20 continue\n",
       {"tag 1", "wait without spawn"}},
      {"WaitWithoutIentry",
       one_unit,
       "      call nxtag(mytag,j)\n      call spawn(mytag,j,child,kval(1))\n      if (wait(mytag,2)) "
       "return\n",
       {"tag 1", "wait without ientry"}},
      {"WaitForNoLabel",
       one_unit,
       "      go to (10,20),ientry(mytag,2)\n   10 call nxtag(mytag,j)\n"
       "      call spawn(mytag,j,child,kval(1))\n      if (wait(mytag,3)) return\n   20 continue\n",
       {"tag 1", "label = 3"}},
      {"IentryOfNone", one_unit, "      j = ientry(mytag,0)\n", {"tag 1", "N = 0"}},
      {"WrongParent", one_unit, "      j = mytag + 4\n      call nxtag(j,i)\n", {"tag 1", "tag 5"}},
      {"WrongTagInWait", one_unit, "      j = ientry(mytag+1,2)\n", {"tag 1", "ientry", "tag 2"}},
      {"LockTwice",
       one_unit,
       "      call lckasn(ilock)\n      call lockon(ilock)\n      call lockon(ilock)\n",
       {"tag 1", "lockon", "by tag 1"}},
      {"LockUndeclared", one_unit, "      ilock = 77\n      call lockon(ilock)\n", {"tag 1", "77", "lckasn"}},
      {"NoExternalInSpawn",
       one_unit,
       "      call nxtag(mytag,j)\n      call spawn(mytag,j,missed,kval(1))\n",
       {"tag 2", "EXTERNAL"}},
      {"NoExternalInPutq",
       "      call dep(1,0,0,list)\n      call putq(1,missed,mytag)\n",
       "",
       {"tag 1", "EXTERNAL"}},
      {"LocalVariableOfStatic",
       "      call dep(1,0,0,list)\n      local = 7\n      call putq(1,work,mytag,local)\n",
       "      m = k\n",
       {"tag 1", "local variable of static", "global"}},
      // With several workers the child may run before its parent returns: right then.
      {"LocalVariableOfUnit",
       one_unit,
       "      local = 3\n      call nxtag(mytag,j)\n      call spawn(mytag,j,child,local)\n",
       {"tag 2", "local variable of tag 1", "global"},
       {1}},
      {"PriorityOfNoUnit",
       one_unit,
       "      call setpri(2,1)\n",
       {"tag 2", "setpri of a unit that does not exist"}},
      {"PriorityBeforeDep",
       "      call setpri(1,1)\n",
       "",
       {"tag 1", "setpri of a unit that does not exist"}},
      {"PriorityTooHigh", one_unit, "      call setpri(1,101)\n", {"tag 1", "priority 101", "-100 to 100"}},
      {"SchedInUnit", one_unit, "      call sched(1,child)\n", {"tag 1", "sched in a unit"}},
      {"DepInUnit", one_unit, "      call dep(2,0,0,m)\n", {"tag 2", "dep in the unit of tag 1"}},
      {"PutqInUnit", one_unit, "      call putq(1,child,m)\n", {"tag 1", "putq in the unit of tag 1"}},
      {"NxtagInStatic", "      call nxtag(1,j)\n", "", {"tag 1", "nxtag outside of a unit"}},
  };
}

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakeTest, EndsWithOneMessage) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const Mistake& mistake = GetParam();
  const test::FortranProgram program(program_of(mistake));
  for (const int workers : mistake.workers) {
    SCOPED_TRACE(workers);
    const test::Result result = program.run(std::to_string(workers));
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, Not(HasSubstr("reached")));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_TRUE(result.err.starts_with("schedule: "));
    EXPECT_THAT(result.err, HasSubstr("; rule: "));
    for (const std::string& each : mistake.message) EXPECT_THAT(result.err, HasSubstr(each));
  }
}

INSTANTIATE_TEST_SUITE_P(All, MistakeTest, ::testing::ValuesIn(mistakes()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ScheduleErrors, NoWorkersAreRefused) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(program_of({"", one_unit, "", {}}));
  for (const char* workers : {"0", "-2"}) {
    const test::Result result = program.run(workers);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("nprocs = " + std::string(workers)));
  }
}

TEST(ScheduleErrors, AStaticThatIsNotExternalIsNamed) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(
      "      program main\n"
      "      call sched(1,paralg)\n"
      "      end\n");
  const test::Result result = program.run("");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("the caller of sched declares the procedure EXTERNAL"));
}

TEST(ScheduleErrors, ATraceThatCannotBeWrittenIsNamed) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(program_of({"", one_unit, "", {}}));
  const test::Result result = program.run("1", "no/such/folder");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("no/such/folder: No such file"));
}

TEST(ScheduleErrors, UnitsThatWaitForEachOthersLocksEndWithAMessage) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(
      "      program main\n"
      "      common /shared/ ilocks(2),j1,j2,here(2)\n"
      "      external paralg\n"
      "      call lckasn(ilocks(1))\n"
      "      call lckasn(ilocks(2))\n"
      "      j1 = 1\n"
      "      j2 = 2\n"
      "      call sched(2,paralg)\n"
      "      end\n"
      "      subroutine paralg\n"
      "      common /shared/ ilocks(2),j1,j2,here(2)\n"
      "      external take,last\n"
      "      integer list(1)\n"
      "      list(1) = 3\n"
      "      call dep(1,0,1,list)\n"
      "      call putq(1,take,j1,j2)\n"
      "      call dep(2,0,1,list)\n"
      "      call putq(2,take,j2,j1)\n"
      "      call dep(3,2,0,list)\n"
      "      call putq(3,last)\n"
      "      end\n"
      "      subroutine take(i,j)\n"
      "      common /shared/ ilocks(2),j1,j2,here(2)\n"
      "      volatile here\n"
      "      call lockon(ilocks(i))\n"
      "      here(i) = 1\n"
      "   10 if (here(j) .eq. 0) go to 10\n"
      "      call lockon(ilocks(j))\n"
      "      end\n"
      "      subroutine last\n"
      "      end\n");
  const test::Result result = program.run("");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("every unit that executes waits for a lock"));
}

TEST(ScheduleErrors, AUnitWhoseArraysOverflowItsStackIsNamed) {
  if (!test::has_gfortran()) GTEST_SKIP() << "gfortran is not installed";
  const test::FortranProgram program(
      program_of({"",
                  one_unit,
                  "      call deep(k)\n      end\n      recursive subroutine deep(k)\n"
                  "      real a(100000)\n      a(1+mod(k,7)) = k\n      call deep(k+1)\n      m = a(3)\n",
                  {}}));
  const test::Result result = program.run("2");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("tag 1: the stack"));
}

}  // namespace schedule_errors_test
}  // namespace takt
