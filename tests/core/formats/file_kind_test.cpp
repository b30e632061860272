#include "core/formats/file_kind.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/formats/yaml_parser.hpp"

namespace takt {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::string& text, FileKind expected) {
  ErrorList errors;
  const YamlTree tree = parse_yaml(text, "f", errors);
  try {
    expect_kind(tree.root(), expected);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(FileKind, mismatch_is_one_error_with_the_actual_kind) {
  const std::string pipeline = "name: x\nscheduler: greedy\nsources: {}\ntasks: {}\nsinks: {}\n";
  EXPECT_EQ(refusal(pipeline, FileKind::schedule),
            "f:1:1: the file is a pipeline (it has the key 'sources'): expected a schedule, as takt plan "
            "writes it");
  EXPECT_EQ(refusal(pipeline, FileKind::pipeline), "");
  for (const FileKind kind : {FileKind::machine, FileKind::graph, FileKind::profile})
    EXPECT_THAT(refusal(pipeline, kind), StartsWith("f:1:1: the file is a pipeline"));
  const std::string graph = "tasks: [{name: a, work: 1}]\nedges: []\n";
  EXPECT_EQ(refusal(graph, FileKind::graph), "");
  EXPECT_THAT(refusal(graph, FileKind::pipeline), HasSubstr("the file is a task graph"));
  const std::string machine = "processors: 2\ncosts: {}\n";
  EXPECT_EQ(refusal(machine, FileKind::machine), "");
  EXPECT_THAT(refusal(machine, FileKind::schedule), HasSubstr("the file is a machine"));
  EXPECT_THAT(refusal("host: x\ncosts: {}\n", FileKind::pipeline), HasSubstr("the file is measured costs"));
}

TEST(FileKind, of_an_incomplete_file_is_accepted) {
  // Their readers report missing parts more precisely.
  EXPECT_EQ(refusal("costs: {}\n", FileKind::machine), "");
  EXPECT_EQ(refusal("scheduler: x\nprocessors: {}\n", FileKind::schedule), "");
  EXPECT_EQ(refusal("scheduler: x\ntasks: {a: {kernel: fft}}\n", FileKind::pipeline), "");
  EXPECT_EQ(refusal("other: 1\n", FileKind::graph), "");
  EXPECT_EQ(refusal("- a\n", FileKind::graph), "");
}

}  // namespace
}  // namespace takt
