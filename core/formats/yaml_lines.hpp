#pragma once
/// A quick way through YAML documents of many equal lines, such as graphs of a million tasks:
///
///     tasks:
///       - {name: a, work: 3}
///     edges:
///       - {from: a, to: b, size: 10}
///
/// A top-level mapping whose values are plain words, or lists of mappings and lists of plain words on one
/// line each. yaml-cpp takes some twenty times as long, for it asks regular expressions at every letter.
/// Whatever does not have this form is left to it.

#include <string_view>

#include <yaml-cpp/eventhandler.h>

namespace takt {

/// Whether the text has this form: letters, digits and `_.+-/` in words, no quotes, tags, names, tabs, nulls,
/// nor values left out. O(size).
[[nodiscard]] bool has_plain_lines(std::string_view text);

/// The word that such a text begins with, whose end is seen; empty where it begins with none. O(word).
[[nodiscard]] std::string_view plain_word(std::string_view text);

/// Tells of a text that has this form what yaml-cpp would tell, with the same places. O(size).
void read_plain_lines(std::string_view text, YAML::EventHandler& handler);

}  // namespace takt
