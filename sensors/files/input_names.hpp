#pragma once
/// Names of several input files: wildcards and ranges.

#include <filesystem>
#include <string>
#include <vector>

namespace takt::sensors {

/// Returns the files that match a name. A file of exactly this name is that file. Otherwise each
/// `{0001..0012}` is replaced by the integers of the range, both ends included, with leading zeros as in its
/// first end; `*`, `?` and `[abc]` match within one folder or file name. Matches are in natural order (`a9`
/// before `a10`), those of a range in its order. A name without wildcards is returned as it is; without a
/// match the result is empty. Throws ConfigError for a range of more than a million names.
[[nodiscard]] std::vector<std::filesystem::path> matching_files(const std::string& name);

/// Returns the files of all names, in their order. Throws ConfigError if a pattern matches no file, or a file
/// is named twice.
[[nodiscard]] std::vector<std::filesystem::path> input_files(const std::vector<std::string>& names);

/// Reports whether a name contains a wildcard or a range.
[[nodiscard]] bool is_pattern_of_files(const std::string& name);

/// Reports whether a precedes b if runs of digits count as numbers.
[[nodiscard]] bool is_before_naturally(const std::string& a, const std::string& b);

}  // namespace takt::sensors
