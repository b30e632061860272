#pragma once
/// A fast reader of YAML documents with many uniform lines, such as graphs of a million tasks:
///
///     tasks:
///       - {name: a, work: 3}
///     edges:
///       - {from: a, to: b, size: 10}
///
/// A top-level mapping whose values are plain words, or lists of mappings and lists of plain words on one
/// line each. yaml-cpp, which matches regular expressions at every character, takes some twenty times as
/// long. It reads all other forms.

#include <string_view>

#include <yaml-cpp/eventhandler.h>

namespace takt {

/// Reports whether the text has this form: letters, digits and `_.+-/` in words, no quotes, tags, anchors,
/// tabs, nulls, or omitted values. O(size).
[[nodiscard]] bool has_plain_lines(std::string_view text);

/// Returns the word at the beginning of such a text, whose end is visible; empty if there is none. O(word).
[[nodiscard]] std::string_view plain_word(std::string_view text);

/// Reports a text of this form to the handler as yaml-cpp would, with the same positions. O(size).
void read_plain_lines(std::string_view text, YAML::EventHandler& handler);

}  // namespace takt
