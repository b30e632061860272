#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/formats/graph_source.hpp"
#include "core/graphs/generators.hpp"
#include "pipeline/kernel.hpp"
#include "pipeline/stages/sinks.hpp"
#include "pipeline/stages/sources.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/support/program.hpp"

namespace takt {
namespace {

using nlohmann::json;
using test::takt;
using ::testing::Contains;
using ::testing::HasSubstr;

std::vector<std::string> names_of(const json& entries) {
  std::vector<std::string> names;
  for (const json& entry : entries) names.push_back(entry["name"]);
  return names;
}

template <class Table>
void expect_all(const json& entries, const Table& table) {
  for (const auto& each : table) EXPECT_THAT(names_of(entries), Contains(std::string(each.name)));
  EXPECT_GE(entries.size(), std::size(table));
}

TEST(List, shows_every_registered_entry) {
  const test::Result result = takt({"list", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0);
  const json lists = json::parse(result.out);
  expect_all(lists["schedulers"], schedulers::all_schedulers());
  const auto registry = pipeline::KernelRegistry::with_built_in_kernels();
  expect_all(lists["kernels"], registry.kinds());
  expect_all(lists["sources"], pipeline::all_sources());
  expect_all(lists["sinks"], pipeline::all_sinks());
  expect_all(lists["formats"], all_graph_formats());
  expect_all(lists["graphs"], all_generators());
}

TEST(List, shows_every_option_of_every_command_as_its_help_does) {
  const json commands = json::parse(takt({"list", "commands", "--format", "json"}).out)["commands"];
  const std::string table = takt({"list", "commands", "--format", "markdown"}).out;
  std::size_t options = 0;
  for (const json& command : commands) {
    const std::string name = command["name"];
    const std::string help = takt({"help", name}).out;
    EXPECT_THAT(table, HasSubstr("| `takt " + name));
    // Commands without arguments have no such list.
    for (const json& parameter : command.value("parameters", json::array())) {
      EXPECT_THAT(help, HasSubstr("\n  " + parameter["name"].get<std::string>())) << name;
      const std::string option = parameter["name"].get<std::string>();
      if (const std::size_t begin = option.find("--"); begin != std::string::npos) {
        EXPECT_THAT(table, HasSubstr(option.substr(begin, option.find_first_of(" [", begin) - begin)));
      }
      ++options;
    }
  }
  EXPECT_GT(commands.size(), 20U);
  EXPECT_GT(options, 100U);
  const std::string plan = takt({"list", "commands", "plan", "--format", "markdown"}).out;
  EXPECT_THAT(plan, HasSubstr("| option | group | default | meaning |"));
  EXPECT_THAT(plan, HasSubstr("| `--seed N` | Options | `1` | Seed of randomised schedulers |"));
}

TEST(List, shows_one_category_or_one_entry_with_its_parameters) {
  const test::Result category = takt({"list", "graphs"});
  EXPECT_THAT(category.out, HasSubstr("send_tree"));
  EXPECT_THAT(category.out, ::testing::Not(HasSubstr("basic_fo")));
  const test::Result entry = takt({"list", "graphs", "wave"});
  EXPECT_THAT(entry.out, HasSubstr("width"));
  EXPECT_THAT(takt({"list", "kernels", "fft"}).out, HasSubstr("channels"));
  EXPECT_EQ(takt({"list", "keywords", "sigproc"}).out, takt({"list", "keywords", "SIGPROC"}).out);
  EXPECT_THAT(takt({"list", "keywords", "sigproc"}).out, HasSubstr("tsamp"));
}

}  // namespace
}  // namespace takt
