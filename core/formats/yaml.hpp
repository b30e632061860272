#pragma once
/// YAML with places: reading a node wrongly is a ConfigError with file:line:column.

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/formats/yaml_tree.hpp"
#include "core/units.hpp"

namespace takt {

/// Reads the nodes of one file.
class YamlFile {
 public:
  /// Throws ConfigError when the text is not YAML.
  YamlFile(const std::string& text, std::string file);

  [[nodiscard]] YamlNode root() const { return tree_.root(); }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[noreturn]] void refuse(const YamlNode& node, const std::string& message) const;

  /// The node is a mapping whose keys are all known and stand once each; `what` names it in errors.
  void expect_mapping(const YamlNode& node, std::string_view what,
                      std::initializer_list<std::string_view> known) const;
  void expect_sequence(const YamlNode& node, std::string_view what) const;
  /// The value under a key of a mapping; an error when it is not there.
  [[nodiscard]] YamlNode require(const YamlNode& mapping, std::string_view what, const char* key) const;

  [[nodiscard]] std::string_view text(const YamlNode& node, std::string_view what) const;
  /// A whole number in [least, most].
  [[nodiscard]] std::int64_t integer(const YamlNode& node, std::string_view what, std::int64_t least,
                                     std::int64_t most) const;
  [[nodiscard]] bool boolean(const YamlNode& node, std::string_view what) const;
  /// Durations and sizes with or without units.
  [[nodiscard]] Time time(const YamlNode& node, std::string_view what) const;
  [[nodiscard]] Bytes bytes(const YamlNode& node, std::string_view what) const;

 private:
  std::string file_;
  YamlTree tree_;
};

}  // namespace takt
