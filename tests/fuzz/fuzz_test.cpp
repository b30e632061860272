/// Tests that readers handle damaged and invented bytes: they read, count or refuse them with a message, and
/// nothing else. This is a short search over every reader; takt_fuzz is the long one, and TAKT_MUTATIONS
/// extends this one. (Packets assembled one by one by lane and time: sensors/hostile_packets_test.cpp.)

#include <fstream>

#include <gmock/gmock.h>
#include <sys/resource.h>

#include "tests/fuzz/reader.hpp"
#include "tests/support/mutation.hpp"

namespace takt::test {
namespace {

std::size_t largest_resident_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

class DamagedInputs : public testing::TestWithParam<FuzzedReader> {};

TEST_P(DamagedInputs, are_read_counted_or_refused_with_a_message_in_bounded_memory) {
  const Fuzzer fuzzer(GetParam(), 1);
  const std::size_t before = largest_resident_kib();
  const int mutations = std::max(mutation_count(300) / GetParam().share, 1);
  int refused = 0, changed = 0;
  for (int i = 0; i < mutations; ++i) {
    const std::string input = fuzzer.input(static_cast<std::uint32_t>(i));
    try {
      const FuzzOutcome outcome = fuzzer.attempt(static_cast<std::uint32_t>(i), input);
      refused += outcome == FuzzOutcome::refused ? 1 : 0;
      changed += outcome == FuzzOutcome::changed ? 1 : 0;
    } catch (const std::exception& error) {
      const std::filesystem::path kept = std::filesystem::temp_directory_path() / "takt-damaged-input";
      std::ofstream(kept, std::ios::binary) << input;
      FAIL() << "mutation " << i << ", kept in " << kept << ": " << error.what();
    }
  }
  // Otherwise the mutations had no effect.
  EXPECT_GT(refused + changed, mutations / 10);
  EXPECT_LT(refused, mutations);
  // The sanitizers use a quarter of this themselves.
  EXPECT_LT(largest_resident_kib() - before, std::size_t{1} << 20);
}

INSTANTIATE_TEST_SUITE_P(Of, DamagedInputs, testing::ValuesIn(fuzzed_readers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace takt::test
