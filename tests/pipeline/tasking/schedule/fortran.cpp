#include "tests/pipeline/tasking/schedule/fortran.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace takt::test {

bool has_gfortran() {
  static const bool found = Program({"sh", "-c", "command -v gfortran >/dev/null"}).wait().exit_code == 0;
  return found;
}

FortranProgram::FortranProgram(const std::string& source) {
  const bool is_free = source.starts_with("!") || source.starts_with("program");
  const std::string file = folder_.file(is_free ? "program.f90" : "program.f", source);
  std::vector<std::string> command{"gfortran", "-O1",
                                   "-w",       "-frecursive",
                                   "-J",       (folder_ / "").string(),
                                   "-o",       (folder_ / "program").string()};
  if (source.find("use takt_schedule") != std::string::npos)
    command.emplace_back(TAKT_SCHEDULE_SOURCES "/takt_schedule.f90");
  if (!is_free) command.emplace_back("-fallow-argument-mismatch");
  for (const char* each :
       {file.c_str(), "-L" TAKT_SCHEDULE_FOLDER, "-ltakt_schedule", "-Wl,-rpath," TAKT_SCHEDULE_FOLDER})
    command.emplace_back(each);
  const Result result = Program(command).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

Result FortranProgram::run(const std::string& input, const std::string& trace,
                           const std::string& settings) const {
  const std::string setting =
      trace.empty() ? "" : "TAKT_SCHEDULE_TRACE='" + (folder_ / trace).string() + "' ";
  return Program({"sh", "-c",
                  "echo '" + input + "' | " + settings + ' ' + setting + (folder_ / "program").string()})
      .wait(std::chrono::seconds{60});
}

std::string without_times(const std::string& trace) {
  const std::string statics =
      std::regex_replace(trace, std::regex("(^|\n)(2 \\d+) \\d+\\.\\d+(?=\n)"), "$1$2 T");
  return std::regex_replace(statics, std::regex("(^|\n)(5 \\d+ \\d+) \\d+\\.\\d+(?=\n)"), "$1$2 T");
}

}  // namespace takt::test
