#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "cli/view.hpp"
#include "core/error.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"
#include "pipeline/pages/file_editor.hpp"
#include "pipeline/pages/trace_follower.hpp"
#include "pipeline/pages/unit_trace.hpp"

namespace takt::cli {

namespace {

/// Returns the file of `fft.c:PN=8` or `m.yaml:verify`, of an existing file, or of one that can be created.
std::string edited_file(const std::string& text) {
  if (const auto program = frontend::program_name(text)) return program->file;
  std::string file = file_of_machine(text);
  if (!std::filesystem::exists(file) && file.find(':') != std::string::npos)
    throw ConfigError(fmt::format("--edit changes a text file: '{}' is generated", file));
  return file;
}

}  // namespace

bool is_unit_trace(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) return false;
  if (std::filesystem::path(file).extension() == ".graph") return true;
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  return pipeline::begins_as_unit_trace(line);
}

std::string file_of_machine(const std::string& text) {
  const std::string file = text.substr(0, text.rfind(':'));
  return !std::filesystem::exists(text) && std::filesystem::is_regular_file(file) ? file : text;
}

void follow_unit_trace(const ViewArguments& arguments) {
  if (arguments.files.size() != 1 || !arguments.output.empty() || !arguments.format.empty())
    throw ConfigError(
        "--follow shows one SCHEDULE trace in a browser: expected one file and no other option");
  const std::string& file = arguments.file();
  if (std::filesystem::is_regular_file(file) && std::filesystem::file_size(file) > 0 && !is_unit_trace(file))
    throw ConfigError({file}, "is not a SCHEDULE trace (trace.graph), which alone --follow shows");
  pipeline::TraceFollower follower(file, {});
  fmt::print(stderr, "takt: {} live at http://127.0.0.1:{}{}\n", file, follower.port(),
             pipeline::TraceFollower::path);
  follower.follow();
}

void edit_file(const ViewArguments& arguments) {
  if (arguments.files.size() != 1) throw ConfigError("--edit shows one file in a browser: expected one");
  pipeline::FileEditor editor(edited_file(arguments.file()),
                              [shown = arguments]() mutable {
                                shown.format = "html";
                                return show(shown);
                              },
                              {});
  fmt::print(stderr, "takt: edit {} at http://127.0.0.1:{}{}#{}\n", arguments.file(), editor.port(),
             pipeline::FileEditor::path, editor.token());
  editor.serve();
}

}  // namespace takt::cli
