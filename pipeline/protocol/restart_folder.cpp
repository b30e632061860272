#include "pipeline/protocol/restart_folder.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/json.hpp"
#include "core/system/text_file.hpp"

namespace takt::pipeline {

namespace {

std::filesystem::path checkpoint_file(const std::filesystem::path& folder) {
  return folder / "checkpoint";
}

std::filesystem::path begun_files_file(const std::filesystem::path& folder) {
  return folder / "files";
}

std::filesystem::path plan_file(const std::filesystem::path& folder) {
  return folder / "plan";
}

/// Reads a file that the launcher has written for rank 0.
std::string read_for_rank_0(const std::filesystem::path& file) {
  try {
    return read_text_file(file);
  } catch (const std::exception& error) {
    throw WorkError(fmt::format(
        "rank 0 is not on the computer of the launcher, and cannot read its checkpoint: {}", error.what()));
  }
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
  return read_for_rank_0(checkpoint_file(folder));
}

void write_plan(const std::filesystem::path& folder, const std::string& plan) {
  write_text_file(plan_file(folder), plan);
}

std::string read_plan(const std::filesystem::path& folder) {
  return read_for_rank_0(plan_file(folder));
}

std::string to_text(const BegunFiles& files) {
  return nlohmann::json(files).dump();
}

BegunFiles begun_files_from_text(std::string_view text) {
  return value_from_json<BegunFiles>(text);
}

void write_begun_files(const std::filesystem::path& folder, const BegunFiles& files) {
  write_text_file(begun_files_file(folder), to_text(files));
}

std::string read_begun_files(const std::filesystem::path& folder) {
  return read_for_rank_0(begun_files_file(folder));
}

}  // namespace takt::pipeline
