/// Tests that two streams with one file or one port are refused, with the position of the second one.

#include "pipeline/streams/conflicts.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* made_up = "{type: synthetic, element: int32, axes: [sample=4], frames: 1}";

std::string conflict(const std::string& source_a, const std::string& sink_a, const std::string& source_b,
                     const std::string& sink_b) {
  const takt::test::TemporaryFolder folder;
  const auto load = [&](const char* name, const std::string& source, const std::string& sink) {
    return load_pipeline(folder.file(
        std::string(name) + ".yaml",
        fmt::format("name: {}\nrate: 1 Hz\nsources:\n  s: {}\nsinks:\n  o: {}\n", name, source, sink)));
  };
  const Pipeline a = load("a", source_a, sink_a), b = load("b", source_b, sink_b);
  ErrorList errors;
  check_apart({{"a", &a}, {"b", &b}}, errors);
  try {
    errors.throw_if_any();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string raw(const std::string& path) {
  return fmt::format("{{type: raw, input: s, path: {}}}", path);
}

TEST(StreamConflicts, name_the_file_that_both_write_under_any_name) {
  EXPECT_THAT(conflict(made_up, raw("/tmp/x.raw"), made_up, raw("/tmp/../tmp/x.raw")),
              AllOf(HasSubstr("b.yaml:6:"), HasSubstr("stream 'b': sink 'o': cannot write the file"),
                    HasSubstr("sink 'o' of stream 'a' writes it")));
}

TEST(StreamConflicts, are_none_when_files_differ) {
  EXPECT_EQ(conflict(made_up, raw("/tmp/x.raw"), made_up, raw("/tmp/y.raw")), "");
}

TEST(StreamConflicts, name_the_port_on_which_both_listen) {
  const auto tcp = [](int port) { return fmt::format("{{type: tcp, input: s, port: {}}}", port); };
  EXPECT_THAT(conflict(made_up, tcp(17001), made_up, tcp(17001)),
              AllOf(HasSubstr("b.yaml:6:"), HasSubstr("cannot listen at TCP port 17001")));
  EXPECT_EQ(conflict(made_up, tcp(17001), made_up, tcp(17002)), "");
}

}  // namespace
}  // namespace takt::pipeline
