#include "core/formats/yaml.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>

namespace takt {

namespace {

std::string_view kind_of(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Map:
      return "a mapping";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Scalar:
      return "a single value";
    case YAML::NodeType::Null:
    case YAML::NodeType::Undefined:
      break;
  }
  return "nothing";
}

}  // namespace

YamlFile::YamlFile(const std::string& text, std::string file) : file_(std::move(file)) {
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) refuse(documents[1], "a second document begins here, expected one");
    if (!documents.empty()) root_ = documents.front();
  } catch (const YAML::DeepRecursion& error) {
    throw ConfigError({file_, error.mark.line + 1, error.mark.column + 1},
                      "not valid YAML here: lists and mappings are nested too deeply");
  } catch (const YAML::Exception& error) {
    throw ConfigError({file_, error.mark.line + 1, error.mark.column + 1}, "not valid YAML: " + error.msg);
  }
}

Place YamlFile::place(const YAML::Node& node) {
  const YAML::Mark mark = node.Mark();
  return {mark.line + 1, mark.column + 1};
}

void YamlFile::refuse(const YAML::Node& node, const std::string& message) const {
  const Place at = place(node);
  throw ConfigError({file_, at.line, at.column}, message);
}

void YamlFile::expect_mapping(const YAML::Node& node, std::string_view what,
                              std::initializer_list<std::string_view> known) const {
  if (!node.IsMap())
    refuse(node, fmt::format("expected {} as a mapping with the keys {}, found {}", what,
                             fmt::join(known, " "), kind_of(node)));
  std::vector<std::string_view> seen;
  for (const auto& entry : node) {
    const std::string_view key = entry.first.IsScalar() ? entry.first.Scalar() : std::string_view("");
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse(entry.first, unknown_name(fmt::format("key of {}", what), key, known));
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      refuse(entry.first, fmt::format("the key '{}' of {} stands twice", key, what));
    seen.push_back(key);
  }
}

void YamlFile::expect_sequence(const YAML::Node& node, std::string_view what) const {
  if (!node.IsSequence()) refuse(node, fmt::format("expected {} as a list, found {}", what, kind_of(node)));
}

YAML::Node YamlFile::require(const YAML::Node& mapping, std::string_view what, const char* key) const {
  const YAML::Node value = mapping[key];
  if (!value) refuse(mapping, fmt::format("{} needs a '{}'", what, key));
  return value;
}

const std::string& YamlFile::text(const YAML::Node& node, std::string_view what) const {
  if (!node.IsScalar())
    refuse(node, fmt::format("expected {} as a single value, found {}", what, kind_of(node)));
  return node.Scalar();
}

std::int64_t YamlFile::integer(const YAML::Node& node, std::string_view what, std::int64_t least,
                               std::int64_t most) const {
  const std::string& written = text(node, what);
  if (most < least) refuse(node, fmt::format("'{}' is not a valid {}: there is none", written, what));
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  if (error != std::errc{} || rest != written.data() + written.size() || value < least || value > most)
    refuse(node, fmt::format("'{}' is not a valid {}: expected a whole number from {} to {}", written, what,
                             least, most));
  return value;
}

bool YamlFile::boolean(const YAML::Node& node, std::string_view what) const {
  const std::string& written = text(node, what);
  if (written != "true" && written != "false")
    refuse(node, fmt::format("'{}' is not a valid {}: expected true or false", written, what));
  return written == "true";
}

Time YamlFile::time(const YAML::Node& node, std::string_view what) const {
  const std::string& written = text(node, what);
  try {
    return parse_time(written);
  } catch (const ConfigError& error) {
    refuse(node, fmt::format("{}: {}", what, error.what()));
  }
}

Bytes YamlFile::bytes(const YAML::Node& node, std::string_view what) const {
  const std::string& written = text(node, what);
  try {
    return parse_bytes(written);
  } catch (const ConfigError& error) {
    refuse(node, fmt::format("{}: {}", what, error.what()));
  }
}

std::string yaml_scalar(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_plain = [&](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/';
  };

  // Words that YAML 1.1 or 1.2 take for something else than text.
  constexpr std::array words{"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const bool is_word = std::find(words.begin(), words.end(), lower) != words.end();

  const bool plain_number = !text.empty() && std::all_of(text.begin(), text.end(), is_digit) &&
                            (text.size() == 1 || text.front() != '0');
  const bool plain_text =
      !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_plain) && !is_word;
  if (plain_number || plain_text) return std::string(text);

  std::string quoted = "\"";
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (code < 0x20 || code == 0x7f)
      quoted += fmt::format("\\x{:02x}", code);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string indented(std::string_view text, std::size_t spaces) {
  std::string result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) result.append(spaces, ' ').append(line);
    result += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return result;
}

}  // namespace takt
