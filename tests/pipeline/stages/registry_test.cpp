/// Tests the table of kernels, and what it refuses.

#include <set>

#include <gmock/gmock.h>

#include "pipeline/kernel.hpp"

namespace takt::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(Registry, has_kernels_with_complete_descriptions) {
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

template <class Kind>
concept May_leave_out_whether_it_is_stateless = requires {
  Kind{.name = "mine"};
};
static_assert(!May_leave_out_whether_it_is_stateless<KernelKind>);

/// Saves a state of four bytes.
class SavingKernel final : public Kernel {
 public:
  explicit SavingKernel(bool is_stateless) : is_stateless_(is_stateless) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  Outcome process(std::span<const FrameView>, const FrameBuffer&) override { return Outcome::absorbed; }
  [[nodiscard]] bool is_stateless() const override { return is_stateless_; }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    return std::vector<std::byte>(4);
  }

 private:
  bool is_stateless_;
};

TEST(A_state, is_refused_for_a_stateless_kernel) {
  const KernelKind stateless{.name = "sums", .stateless = true}, stateful{.name = "sums", .stateless = false};
  EXPECT_NO_THROW(check_saves_nothing(stateful, SavingKernel(false)));
  EXPECT_THAT(
      [&] { check_saves_nothing(stateless, SavingKernel(false)); },
      ThrowsMessage<ConfigError>("kernel 'sums' is registered as stateless, but saves a state of 4 bytes: "
                                 "set '.stateless = false' in its KernelKind, or do not override 'save'"));
  EXPECT_THAT([&] { check_saves_nothing(stateful, SavingKernel(true)); },
              ThrowsMessage<ConfigError>(HasSubstr("return an empty state from 'save'")));
}

TEST(Registry, refuses_a_duplicate_name) {
  KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  EXPECT_THAT([&] { registry.add({.name = "fft", .stateless = true}); },
              ThrowsMessage<ConfigError>("there is a kernel 'fft' already"));
}

TEST(Registry, refuses_parameters_with_the_names_of_task_keys) {
  KernelRegistry registry;
  EXPECT_THAT([&] { registry.add({.name = "mine", .stateless = true, .parameters = {{.name = "input"}}}); },
              ThrowsMessage<ConfigError>(HasSubstr("kernel 'mine' has a parameter named 'input'")));
}

TEST(Registry, states_why_a_plugin_cannot_be_loaded) {
  KernelRegistry registry;
  EXPECT_THAT([&] { registry.load_plugin("/nowhere/libgain.so"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot load the plug-in '/nowhere/libgain.so'")));
  // A shared library that every program has loaded, but no plug-in.
  EXPECT_THAT(
      [&] { registry.load_plugin("/lib/x86_64-linux-gnu/libc.so.6"); },
      ThrowsMessage<ConfigError>(
          "'/lib/x86_64-linux-gnu/libc.so.6' is not a plug-in: it does not export takt_register_kernels"));
  EXPECT_THAT(
      [&] { registry.load_plugin(TAKT_OLD_PLUGIN); },
      ThrowsMessage<ConfigError>(HasSubstr("was built against kernel interface 10, this program has 13: "
                                           "rebuild it")));
  // A library from `c++ -shared` alone.
  EXPECT_THAT([&] { registry.load_plugin(TAKT_UNLINKED_KERNEL); },
              ThrowsMessage<ConfigError>(HasSubstr("; link it with takt::plugin (docs/")));
}

}  // namespace
}  // namespace takt::pipeline
