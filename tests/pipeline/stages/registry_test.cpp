/// Is the table of kernels sound, and what does it refuse?

#include <set>

#include <gmock/gmock.h>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Registry, has_kernels_that_explain_themselves) {
  const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  std::set<std::string> names;
  for (const KernelKind& kind : registry.kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty()) << kind.name;
    EXPECT_NE(kind.make, nullptr) << kind.name;
    EXPECT_EQ(registry.find(kind.name), &kind);
    for (const ParameterSpec& parameter : kind.parameters) EXPECT_FALSE(parameter.help.empty()) << kind.name;
  }
  EXPECT_EQ(registry.find("fftt"), nullptr);
}

TEST(Registry, refuses_a_name_that_is_taken) {
  KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  EXPECT_THAT([&] { registry.add({.name = "fft"}); },
              ThrowsMessage<ConfigError>("there is a kernel 'fft' already"));
}

TEST(Registry, refuses_parameters_that_would_hide_a_tasks_own_keys) {
  KernelRegistry registry;
  EXPECT_THAT([&] { registry.add({.name = "mine", .parameters = {{.name = "input"}}}); },
              ThrowsMessage<ConfigError>(HasSubstr("kernel 'mine' has a parameter named 'input'")));
}

TEST(Registry, says_why_a_plugin_cannot_be_loaded) {
  KernelRegistry registry;
  EXPECT_THAT([&] { registry.load_plugin("/nowhere/libgain.so"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot load the plug-in '/nowhere/libgain.so'")));
  // A shared library that every program has loaded already, and that is no plug-in.
  EXPECT_THAT(
      [&] { registry.load_plugin("/lib/x86_64-linux-gnu/libc.so.6"); },
      ThrowsMessage<ConfigError>("'/lib/x86_64-linux-gnu/libc.so.6' is no plug-in: it does not export "
                                 "takt_register_kernels"));
  // As it is made by `c++ -shared` alone.
  EXPECT_THAT([&] { registry.load_plugin(TAKT_UNLINKED_KERNEL); },
              ThrowsMessage<ConfigError>(HasSubstr("; link it with takt::plugin (docs/")));
}

}  // namespace
}  // namespace takt::pipeline
