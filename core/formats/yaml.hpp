#pragma once
/// YAML with places: reading a node wrongly is a ConfigError with file:line:column.

#include <initializer_list>
#include <string>
#include <string_view>

#include <yaml-cpp/yaml.h>

#include "core/formats/graph_file_builder.hpp"
#include "core/units.hpp"

namespace takt {

/// Reads the nodes of one file.
class YamlFile {
 public:
  /// Throws ConfigError when the text is not YAML.
  YamlFile(const std::string& text, std::string file);

  [[nodiscard]] const YAML::Node& root() const { return root_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] static Place place(const YAML::Node& node);
  [[noreturn]] void refuse(const YAML::Node& node, const std::string& message) const;

  /// The node is a mapping whose keys are all known and stand once each; `what` names it in errors.
  void expect_mapping(const YAML::Node& node, std::string_view what,
                      std::initializer_list<std::string_view> known) const;
  void expect_sequence(const YAML::Node& node, std::string_view what) const;
  /// The value under a key of a mapping; an error when it is not there.
  [[nodiscard]] YAML::Node require(const YAML::Node& mapping, std::string_view what, const char* key) const;

  [[nodiscard]] const std::string& text(const YAML::Node& node, std::string_view what) const;
  /// A whole number in [least, most].
  [[nodiscard]] std::int64_t integer(const YAML::Node& node, std::string_view what, std::int64_t least,
                                     std::int64_t most) const;
  [[nodiscard]] bool boolean(const YAML::Node& node, std::string_view what) const;
  /// Durations and sizes with or without units.
  [[nodiscard]] Time time(const YAML::Node& node, std::string_view what) const;
  [[nodiscard]] Bytes bytes(const YAML::Node& node, std::string_view what) const;

 private:
  std::string file_;
  YAML::Node root_;
};

/// The text as a YAML scalar that every reader takes as this text: plain where that is safe, otherwise
/// quoted. Plain decimal numbers stay plain; YAML readers of other languages see them as numbers.
[[nodiscard]] std::string yaml_scalar(std::string_view text);

/// Every line of the text behind `spaces` blanks.
[[nodiscard]] std::string indented(std::string_view text, std::size_t spaces);

}  // namespace takt
