#include "pipeline/launch/restart_folder.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/text_file.hpp"

namespace takt::pipeline {

namespace {

std::filesystem::path checkpoint_file(const std::filesystem::path& folder) {
  return folder / "checkpoint";
}

}  // namespace

std::filesystem::path restart_folder() {
  const char* const folder = std::getenv(restart_variable);
  return folder == nullptr ? "" : folder;
}

void write_checkpoint(const std::filesystem::path& folder, const std::optional<Checkpoint>& checkpoint) {
  write_text_file(checkpoint_file(folder), checkpoint ? to_text(*checkpoint) : "");
}

std::string read_checkpoint(const std::filesystem::path& folder) {
  try {
    return read_text_file(checkpoint_file(folder));
  } catch (const std::exception& error) {
    throw WorkError(fmt::format(
        "rank 0 is not where the run was started, and does not know where it stood: {}", error.what()));
  }
}

}  // namespace takt::pipeline
