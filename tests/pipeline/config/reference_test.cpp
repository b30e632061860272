/// Tests that the reference pages agree with the tables of the program.

#include <filesystem>

#include <gmock/gmock.h>

#include "pipeline/kernel.hpp"
#include "pipeline/stages/sinks.hpp"
#include "pipeline/stages/sources.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;

/// Returns the part of a page from a heading to the next heading of any level.
std::string section(const std::string& page, const std::string& heading) {
  const std::size_t start = page.find("# " + heading + "\n");
  if (start == std::string::npos) return {};
  return page.substr(start, page.find("\n#", start) - start);
}

/// Returns the shared parameters to which a section of pipeline-yaml.md refers.
std::string shared_rows(const std::string& page, const std::string& text) {
  std::string rows;
  if (text.find("(#files)") != std::string::npos) rows += section(page, "Files");
  if (text.find("(#recordings)") != std::string::npos) rows += section(page, "Recordings");
  if (text.find("(#described-frames)") != std::string::npos) rows += section(page, "Described frames");
  return rows;
}

/// Expects a row `| `name` | type | `default` |` for every parameter, with a
/// star after its name when it may change during a run.
void expect_rows(const std::string& text, std::string_view owner,
                 const std::vector<ParameterSpec>& parameters) {
  for (const ParameterSpec& parameter : parameters) {
    const std::string fallback = !parameter.fallback           ? " required |"
                                 : parameter.fallback->empty() ? " |"
                                                               : " `" + *parameter.fallback + "` |";
    EXPECT_THAT(text, HasSubstr("| `" + parameter.name + (parameter.may_change ? "` * | " : "` | ") +
                                std::string(name_of(parameter.type)) + " |" + fallback))
        << owner;
  }
}

TEST(Reference, describes_every_kernel_with_its_parameters) {
  const std::string page = takt::test::read_file(TAKT_SOURCE_DIR "/docs/reference/kernels.md");
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  for (const KernelKind& kind : registry.kinds()) {
    const std::string text = section(page, kind.name);
    ASSERT_FALSE(text.empty()) << kind.name;
    EXPECT_EQ(kind.stateless, text.find("Stateless.") != std::string::npos) << kind.name;
    expect_rows(text, kind.name, kind.parameters);
  }
}

/// The header of a kernel starts with the text of its page.
TEST(Headers, of_kernels_state_the_unit_and_the_source_of_the_formula) {
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(TAKT_SOURCE_DIR "/pipeline/kernels")) {
    if (file.path().extension() != ".hpp") continue;
    const std::string text = takt::test::read_file(file.path());
    if (text.find("[[nodiscard]] KernelKind ") == std::string::npos) continue;
    ++found;
    const std::string head = text.substr(0, text.find("#include"));
    EXPECT_TRUE(head.find("ource") != std::string::npos && head.find("nit") != std::string::npos)
        << file.path();
  }
  EXPECT_GT(found, 35U);
}

TEST(Reference, describes_every_source_and_sink_with_its_parameters) {
  const std::string page = takt::test::read_file(TAKT_SOURCE_DIR "/docs/reference/pipeline-yaml.md");
  for (const SinkKind& kind : all_sinks()) {
    // Another section when a source has the same name.
    std::string text = section(page, kind.name + " sink");
    if (text.empty()) text = section(page, kind.name);
    ASSERT_FALSE(text.empty()) << kind.name;
    expect_rows(text + shared_rows(page, text), kind.name, kind.parameters);
  }
  for (const SourceKind& kind : all_sources()) {
    std::string text = section(page, kind.name.ends_with("_pcap") ? "Captures" : std::string(kind.name));
    ASSERT_THAT(text, HasSubstr(std::string(kind.name)));
    // The first source of a packet format documents the common parameters.
    const auto is_of = [&](const char* format) { return kind.name.starts_with(format); };
    if (is_of("lofar_") || is_of("lwa_") || is_of("vdif_") || is_of("spead_") || is_of("gnuradio_") ||
        is_of("udp"))
      text += section(page, "lofar_udp");
    if (is_of("lwa_")) text += section(page, "lwa_udp");
    if (is_of("vdif_")) text += section(page, "vdif_udp");
    if (is_of("spead_")) text += section(page, "spead_udp");
    if (is_of("gnuradio_")) text += section(page, "gnuradio_udp");
    if (is_of("udp_")) text += section(page, "udp");
    expect_rows(text + shared_rows(page, text), kind.name, kind.parameters);
  }
}

}  // namespace
}  // namespace takt::pipeline
