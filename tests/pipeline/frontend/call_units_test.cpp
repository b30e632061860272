/// Which calls make a task of a pipeline, and what a pipeline refuses.

#include "pipeline/frontend/generation/call_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "pipeline/frontend/generation/calls_text.hpp"
#include "tests/pipeline/frontend/programs.hpp"

namespace takt::frontend {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A program whose main has these calls, from line 14 on.
std::string with_main(const std::string& calls) {
  return "#include <stdio.h>\n#include <stdlib.h>\n#include <takt/sections.h>\n"
         "static double x[4], y[4], z[4];\n"
         "void Read(double x[4]) { for (int i = 0; i < 4; i++) if (scanf(\"%lf\", &x[i]) != 1) exit(1); }\n"
         "void Ask(double x[4]) { puts(\"?\"); for (int i = 0; i < 4; i++) if (scanf(\"%lf\", &x[i]) != 1) "
         "exit(1); }\n"
         "void More(const double x[4], double y[4]) { for (int i = 0; i < 4; i++) y[i] = x[i] + getchar(); "
         "}\n"
         "void Guess(double x[4]) { x[0] = x[1] = x[2] = x[3] = rand(); } void Seeded(double x[4]) { "
         "srand(1); Guess(x); }\n"
         "void Make(double x[4]) { for (int i = 0; i < 4; i++) x[i] = i; if (x[0] > 1) fprintf(stderr, "
         "\"bad\"); }\n"
         "void Twice(const double x[4], double y[4]) { for (int i = 0; i < 4; i++) y[i] = 2 * x[i]; }\n"
         "void Log(const double x[4], double y[4]) { for (int i = 0; i < 4; i++) printf(\"%g\", y[i] = "
         "x[i]); }\n"
         "void Print(const double x[4]) { printf(\"%g\\n\", x[0]); }\n"
         "int main(void) {\n" +
         calls + "return 0;\n}\n";
}

std::string refusal_of(const std::string& calls) {
  try {
    (void)call_units(ProgramFile(with_main(calls)).read().program);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CallUnits, are_one_for_each_call_and_one_for_all_that_read_and_print) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  const ReadProgram read =
      ProgramFile(with_main("Read(x);\nMake(y);\nTwice(x, z);\nPrint(z);\nPrint(y);\n")).read();
  const CallUnits units = call_units(read.program);
  ASSERT_EQ(units.units.size(), 4U);
  EXPECT_EQ(units.input, 0U);
  EXPECT_EQ(units.output, 3U);
  EXPECT_EQ(units.units[1].name, "Make-1");
  EXPECT_EQ(units.units[2].name, "Twice-2");
  EXPECT_THAT(units.units[2].inputs, ElementsAre(0U));
  EXPECT_THAT(units.units[3].inputs, ElementsAre(2U, 1U));
  EXPECT_EQ(units.units[0].bytes, 32U);
  EXPECT_EQ(gathered_frames(units).bytes, 96U);
  const std::string text = calls_text(read, units);
  // Frames are read and written in place.
  EXPECT_THAT(text, HasSubstr("  Twice(takt_frames[0], takt_result);\n"));
  EXPECT_THAT(text, HasSubstr("  Print(takt_at(takt_frames[0], 64));\n"));
  EXPECT_THAT(text, Not(HasSubstr("takt_scratch")));
}

TEST(CallUnits, refuse_what_trial_runs_and_reading_ahead_would_change) {
  if (!has_clang()) GTEST_SKIP() << "clang is not installed";
  EXPECT_THAT(refusal_of("Guess(x);\nPrint(x);\n"),
              AllOf(HasSubstr("program.c:14:1: error: Guess uses rand"), HasSubstr("Guess(x);\n^~~~~")));
  EXPECT_THAT(refusal_of("Ask(x);\nPrint(x);\n"), HasSubstr(":14:1: error: Ask reads stdin and prints"));
  EXPECT_THAT(refusal_of("Make(x);\nMore(x, y);\nPrint(y);\n"),
              AllOf(HasSubstr(":15:1: error: More reads stdin, and needs x of Make"),
                    HasSubstr(":14:1: note: the other")));
  EXPECT_THAT(refusal_of("Make(x);\nLog(x, y);\nTwice(y, z);\n"),
              AllOf(HasSubstr(":15:1: error: Log prints, and makes y for Twice"),
                    HasSubstr(":16:1: note: the other")));
  EXPECT_EQ(refusal_of("Seeded(x);\nTwice(x, y);\nPrint(y);\n"), "accepted");
  EXPECT_EQ(refusal_of("Read(x);\nMore(x, y);\nLog(y, z);\nPrint(z);\n"), "accepted");
}

}  // namespace
}  // namespace takt::frontend
