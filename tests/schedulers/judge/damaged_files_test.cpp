/// Is a damaged schedule file refused with a ConfigError, or judged, for any damage? The sanitizers also
/// check that the judge accesses only its own memory, and that no sum of times overflows.

#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/graphs/generators.hpp"
#include "core/random.hpp"
#include "logp/schedule_file.hpp"
#include "schedulers/judge/evaluation.hpp"
#include "schedulers/registry/registry.hpp"

namespace takt::schedulers {
namespace {

std::string valid_file(std::string_view shape, std::string_view machine_text, std::string_view scheduler) {
  const TaskGraph graph = generate(shape);
  const logp::Machine machine = logp::parse_machine(machine_text);
  const Schedule schedule = find_scheduler(scheduler).schedule(graph, machine, {.effort = 50});
  return logp::schedule_to_yaml(graph, machine, schedule);
}

bool is_digit(char character) {
  return std::isdigit(static_cast<unsigned char>(character)) != 0;
}

/// Replaces one number.
void change_number(std::string& text, Random& random) {
  std::size_t at = random.below(text.size());
  while (at < text.size() && !is_digit(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (at == end) return;
  static const std::vector<std::string> numbers{"-1",         "0",
                                                "1",          "2",
                                                "7",          "4294967295",
                                                "1e308",      "-1e17",
                                                "2147483648", "288230376151711744",
                                                "1e-300",     "-288230376151711744"};
  text.replace(at, end - at, numbers[random.below(numbers.size())]);
}

/// Removes, repeats or moves a line.
void change_lines(std::string& text, Random& random) {
  const std::size_t at = random.below(text.size());
  const std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const std::string line = text.substr(begin, end - begin);
  const std::uint64_t how = random.below(3);
  if (how != 1) text.erase(begin, line.size());
  if (how == 1) text.insert(end, line);
  if (how == 2 && begin > 0) {
    const std::size_t before = text.rfind('\n', begin - 2);
    text.insert(before == std::string::npos || begin < 2 ? 0 : before + 1, line);
  }
}

TEST(DamagedFile, is_refused_or_judged) {
  const std::vector<std::string> files{
      valid_file("fft:depth=2,cost=1..9,seed=1,data=3", "logp:P=3,L=4,o=1,g=2", "basic_fo"),
      valid_file("fft:depth=2,cost=1..9,seed=1,data=3", "loglinear:P=3,L=5+1,o=1+1,g=3+2,speed=1/2/0.5",
                 "heft"),
      valid_file("layered:tasks=12,cost=0..9,seed=2,data=1..9", "logp:P=4,o=1,network=ring:4,link=3+1",
                 "bsa"),
      valid_file("diamond:depth=2,cost=1..9,seed=3,stateless=1", "logp:P=3,L=4,o=1,g=2", "optfo"),
  };
  Random random(5);
  int refused = 0, invalid = 0;
  constexpr int damages = 4000;
  for (int i = 0; i < damages; ++i) {
    std::string text = files[random.below(files.size())];
    for (std::uint64_t times = 1 + random.below(3); times > 0; --times)
      random.below(4) == 0 ? change_lines(text, random) : change_number(text, random);
    SCOPED_TRACE(text);
    try {
      const logp::ScheduleFile file = logp::schedule_from_yaml(text, "damaged");
      if (!judge(file.graph, file.machine, file.schedule).figures.valid) ++invalid;
    } catch (const ConfigError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, damages / 10);
  EXPECT_GT(invalid, damages / 10);
}

}  // namespace
}  // namespace takt::schedulers
