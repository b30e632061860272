#pragma once
/// Files that an editor, a disk or a program has damaged, for tests of readers.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"

namespace takt::test {

/// The text with one to three accidents.
inline std::string mutated(std::string text, Random& random) {
  for (std::uint64_t times = 1 + random.below(3); times > 0 && !text.empty(); --times) {
    const std::size_t at = random.below(text.size());
    const std::size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    // clang-format off
    static const std::vector<std::string> snippets{
        "-1", "99999999999999999999", "1e300", "1e400", "nan", "inf", "-0", "0x7fffffff", "1000000000", "{", "}", "[", "]", "\"", "'",
        "&a ", "*a ", "!!", "!!map ", ": ", "- ", ", ", "? ", "<<: ", "\t", "\n", "\n  ", "\r\n", "#", "|", ">", "%", "->", "<", "/*", "\\",
        "\\u0000", "---\n", "null", "~", "true", "2 Hz", "0..9e9", "name", "\xef\xbb\xbf", "\xff", std::string(1, '\0'),
        std::string(3000, '['), std::string(3000, '{')};
    // clang-format on
    switch (random.below(8)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.insert(end, text.substr(line, end - line));
        break;
      case 3:
        text.erase(line, end - line);
        break;
      case 4:
        text.insert(at, snippets[random.below(snippets.size())]);
        break;
      case 5: {
        // Another place's text: a task into the edges, an edge of a task to itself.
        const std::size_t from = random.below(text.size());
        text.insert(at, text.substr(from, random.below(40)));
        break;
      }
      case 6: {
        // A value becomes another one.
        const std::size_t value = std::min(text.find_first_of(":,[{", at), text.size() - 1) + 1;
        const std::size_t value_end = std::min(text.find_first_of(",]}\n", value), text.size());
        text.replace(std::min(value, value_end), value_end - std::min(value, value_end),
                     " " + snippets[random.below(snippets.size())]);
        break;
      }
      default:
        text.erase(at, 1 + random.below(5));
    }
  }
  return text;
}

/// How many damaged files a test tries: enough for a second, or what TAKT_MUTATIONS says for a longer search.
inline int mutation_count(int usual = 3000) {
  const char* wanted = std::getenv("TAKT_MUTATIONS");
  return wanted != nullptr ? std::stoi(wanted) : usual;
}

/// Hands damaged texts to a reader, which is to return in order or throw a ConfigError that says something.
/// Under the sanitizers it also touches no memory that is not its own.
inline void expect_value_or_config_error(const std::vector<std::string>& texts,
                                         const std::function<void(const std::string&)>& read,
                                         int mutations = mutation_count()) {
  Random random(1);
  int refused = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string text = mutated(texts[random.below(texts.size())], random);
    try {
      read(text);
    } catch (const ConfigError& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what() << "\n" << text;
    }
  }
  // Both outcomes must occur, otherwise the test tries nothing.
  EXPECT_GT(refused, mutations / 10);
  EXPECT_LT(refused, mutations * 99 / 100);
}

}  // namespace takt::test
