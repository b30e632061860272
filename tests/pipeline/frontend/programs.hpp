#pragma once
/// Programs for tests of the front end.

#include <filesystem>
#include <fstream>
#include <string>

#include "pipeline/frontend/reading/command.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

/// Programs are read with clang, which is not needed otherwise.
inline bool has_clang() {
  const TemporaryFolder folder;
  return run_command({"clang", "--version"}, {folder.path() / "output", folder.path() / "errors"}) == 0;
}

/// Returns `docs/examples/parallelise/NAME`.
inline std::string example(const std::string& name) {
  return std::string(TAKT_SOURCE_DIR) + "/docs/examples/parallelise/" + name;
}

/// A program in a file of its own, until the end of the test.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& text, const std::string& name = "program.c")
      : file_(folder_.path() / name) {
    std::ofstream(file_) << text;
  }

  [[nodiscard]] ReadProgram read() const { return read_program({.file = file_.string()}); }
  [[nodiscard]] std::string name() const { return file_.string(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path file_;
};

}  // namespace takt::frontend
