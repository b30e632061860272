#pragma once
/// Values of machine files, with the errors of all of them.

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/formats/yaml_tree.hpp"
#include "core/formats/yaml_values.hpp"
#include "logp/cost_text.hpp"

namespace takt::logp {

/// The base of the readers of a machine file's parts. Errors go to a list, with their place in the file.
class MachineValues {
 protected:
  explicit MachineValues(ErrorList& errors) : errors_(errors) {}

  void add(const YamlNode& node, const std::string& message) { errors_.add(node.where(), message); }

  void expect_keys(const YamlNode& map, std::string_view what, const std::vector<std::string_view>& known) {
    check_keys(map, what, known, errors_);
  }

  /// Runs the action; adds the node's position to a ConfigError without one.
  template <class Action>
  void attempt(const YamlNode& node, Action action) {
    try {
      action();
    } catch (const ConfigError& error) {
      if (error.where().file.empty())
        add(node, error.message());
      else
        errors_.add(error);
    }
  }

  /// Parses a single value; returns a default value on an error.
  template <class Parse>
  auto read_scalar(const YamlNode& node, Parse parse) {
    decltype(parse(std::string_view())) value{};
    if (!node.is_text())
      add(node, "expected a single value here");
    else
      attempt(node, [&] { value = parse(node.text()); });
    return value;
  }

  std::size_t read_count(const YamlNode& node, std::size_t least) {
    return read_scalar(node, [&](std::string_view text) { return parse_count(text, least); });
  }

  template <class Value, class Parse>
  std::vector<Value> read_values(const YamlNode& node, std::string_view key,
                                 std::optional<std::size_t> length, Parse parse) {
    std::vector<Value> values;
    if (!node.is_list()) {
      add(node, fmt::format("'{}': expected a list", key));
      return values;
    }
    if (length && node.size() != *length)
      add(node, fmt::format("'{}' has {} entries: expected one for each of the {} processors", key,
                            node.size(), *length));
    for (const YamlNode& entry : node) values.push_back(static_cast<Value>(read_scalar(entry, parse)));
    return values;
  }

  /// Returns the two entries of a list of two.
  static std::array<YamlNode, 2> both(const YamlNode& list) {
    return {*list.begin(), *std::next(list.begin())};
  }
  static bool is_pair(const YamlNode& node) { return node.is_list() && node.size() == 2; }

  ErrorList& errors_;
};

}  // namespace takt::logp
