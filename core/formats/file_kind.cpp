#include "core/formats/file_kind.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "core/formats/yaml_values.hpp"
#include "core/system/text_file.hpp"

namespace takt {

namespace {

struct KeyOfKind {
  /// With the colon.
  std::string_view key;
  FileKind kind;
};

/// The top-level keys that identify a file; if a file has several, the first one in this list decides.
constexpr auto keys_of_kinds = std::to_array<KeyOfKind>({
    {"sources:", FileKind::pipeline},
    {"scheduler:", FileKind::schedule},
    {"graph:", FileKind::schedule},
    {"tasks:", FileKind::graph},
    {"processors:", FileKind::machine},
    {"core_types:", FileKind::machine},
    {"speeds:", FileKind::machine},
    {"clusters:", FileKind::machine},
    {"network:", FileKind::machine},
    {"profiles:", FileKind::machine},
    {"costs:", FileKind::profile},
});

/// Returns the characters up to the second line that begins at the margin, or to the end. In a file of a
/// million lines all but two are indented.
std::size_t lines_within(std::string_view lines) {
  constexpr std::size_t at_once = 4096;
  const auto begins_at_margin = [&](std::size_t i) {
    return lines[i] == '\n' && lines[i + 1] != ' ' && lines[i + 1] != '-';
  };
  for (std::size_t begin = 0; begin + 1 < lines.size(); begin += at_once) {
    const std::size_t end = std::min(begin + at_once, lines.size() - 1);
    // Counts without a branch, so that the compiler can vectorise it.
    unsigned char found = 0;
    for (std::size_t i = begin; i < end; ++i) found |= static_cast<unsigned char>(begins_at_margin(i));
    if (found == 0) continue;
    std::size_t i = begin;
    while (!begins_at_margin(i)) ++i;
    return i + 1;
  }
  return lines.size();
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::pipeline:
      return "a pipeline";
    case FileKind::schedule:
      return "a schedule, as takt plan writes it";
    case FileKind::machine:
      return "a machine, as takt calibrate writes it";
    case FileKind::graph:
      return "a task graph";
    case FileKind::profile:
      return "measured costs, as takt profile writes them";
    default:
      return "another file";
  }
}

}  // namespace

FileKind kind_of_file(const std::string& name) {
  const std::filesystem::path extension = std::filesystem::path(name).extension();
  if ((extension != ".yaml" && extension != ".yml") || !std::filesystem::exists(name)) return FileKind::other;
  auto known = keys_of_kinds.end();
  TextParts parts(name);
  for (std::string_view lines = parts.next(); !lines.empty(); lines = parts.next())
    while (!lines.empty()) {
      known = std::find_if(keys_of_kinds.begin(), known,
                           [&](const auto& each) { return lines.starts_with(each.key); });
      lines.remove_prefix(lines_within(lines));
    }
  return known == keys_of_kinds.end() ? FileKind::other : known->kind;
}

void expect_kind(const YamlNode& root, FileKind expected) {
  if (!root.is_mapping()) return;
  const auto key_of = [](const KeyOfKind& each) { return each.key.substr(0, each.key.size() - 1); };
  // Pipelines may have a scheduler, and machines costs.
  const auto may_have = [&](const KeyOfKind& each) {
    return (each.key == "scheduler:" && expected == FileKind::pipeline) ||
           (each.key == "costs:" && expected == FileKind::machine);
  };
  const auto known = std::ranges::find_if(keys_of_kinds, [&](const KeyOfKind& each) {
    return !may_have(each) && static_cast<bool>(root[key_of(each)]);
  });
  if (known == keys_of_kinds.end()) return;
  // A pipeline has a mapping of tasks, a graph a list.
  const bool are_named = known->kind == FileKind::graph && root["tasks"].is_mapping();
  const FileKind kind = are_named ? FileKind::pipeline : known->kind;
  if (kind != expected)
    refuse(root, fmt::format("the file is {} (it has the key '{}'): expected {}", name_of(kind),
                             key_of(*known), name_of(expected)));
}

}  // namespace takt
