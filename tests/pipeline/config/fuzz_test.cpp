/// Does the loader survive files that somebody's editor, disk or cat has been at?

#include <random>

#include <gmock/gmock.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

using Random = std::mt19937;

std::size_t below(std::size_t limit, Random& random) {
  return limit == 0 ? 0 : random() % limit;
}

/// Words and signs that mean something to YAML or to us.
const std::vector<std::string> tokens{
    "{",      "}",        "[",    "]",     ":",    ": ",   ",",      "- ",     "\n",
    "\n  ",   "*a",       "&a ",  "'",     "\"",   "#",    "null",   "~",      "---",
    "!!map ", "? ",       "-1",   "1e999", "0",    "nan",  "2 Hz",   "fft",    "pass",
    "raw",    "input: s", "true", "\t",    "\xff", "\x00", "..",     "0..9e9", "= ",
    "|",      ">",        "name", "tasks", "time", "16",   "inputs", "<<: ",   "99999999999999999999"};

/// One small accident.
void damage(std::string& text, Random& random) {
  const std::size_t at = below(text.size(), random), length = below(20, random);
  switch (random() % 5) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, tokens[below(tokens.size(), random)]);
      break;
    case 2:
      if (!text.empty()) text[at] = static_cast<char>(random());
      break;
    case 3:
      text.insert(below(text.size(), random), text.substr(at, length));
      break;
    case 4:
      text.replace(at, std::min(length, text.size() - at), tokens[below(tokens.size(), random)]);
      break;
  }
}

class Damaged : public ::testing::TestWithParam<std::string> {};

TEST_P(Damaged, files_load_or_are_refused_with_a_message) {
  Random random(1);
  const takt::test::TemporaryFolder folder;
  const std::string good = takt::test::read_file(std::string(TAKT_SOURCE_DIR "/configs/") + GetParam());
  std::size_t refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string text = good;
    for (std::size_t count = 1 + below(4, random); count > 0; --count) damage(text, random);
    try {
      (void)load_pipeline(folder.file("p.yaml", text));
    } catch (const ConfigError& error) {
      EXPECT_STRNE(error.what(), "");
      ++refused;
    }
  }
  // Most accidents break something; some only touch a comment or make another good pipeline.
  EXPECT_GT(refused, 100U);
}

TEST_P(Damaged, overrides_are_taken_or_refused_with_a_message) {
  Random random(2);
  const std::string file = std::string(TAKT_SOURCE_DIR "/configs/") + GetParam();
  const std::vector<Override> good{
      {"sources.station.packets", "16"}, {"tasks.work.time", "1 ms"}, {"deployment.ranks", "2"}};
  for (int round = 0; round < 100; ++round) {
    Override mutated = good[below(good.size(), random)];
    damage(random() % 2 == 0 ? mutated.path : mutated.value, random);
    try {
      (void)load_pipeline(file, {mutated});
    } catch (const ConfigError& error) {
      EXPECT_STRNE(error.what(), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Damaged,
                         ::testing::Values("first.yaml", "spin.yaml", "lofar-spectrometer.yaml"),
                         [](const auto& tested) {
                           std::string name = tested.param.substr(0, tested.param.find('.'));
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace takt::pipeline::test
