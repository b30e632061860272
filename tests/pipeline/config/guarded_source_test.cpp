/// Tests sources whose libraries may crash on damaged files.

#include "pipeline/config/guarded_source.hpp"

#include <csignal>

#include <gmock/gmock.h>

#include "core/error.hpp"

namespace takt::pipeline {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Make = std::unique_ptr<sensors::Source> (*)(const Parameters& parameters, std::uint32_t index);

/// A kind of source of this name, made for the file `a.h5` at line 3.
std::unique_ptr<sensors::Source> made(const char* name, Make make) {
  const SourceKind kind{
      .name = name, .parameters = {{.name = "file", .type = ParameterType::input_file}}, .make = make};
  const SourceLocation where{"a.yaml", 3, 7};
  ErrorList errors;
  const Parameters parameters(kind.parameters, {{"file", {.texts = {"a.h5"}, .where = where}}}, where,
                              errors);
  errors.throw_if_any();
  return make_guarded(kind, parameters);
}

TEST(A_guarded_source, turns_a_crash_of_its_library_into_an_error_at_the_file) {
  const auto crash = [](const Parameters&, std::uint32_t) -> std::unique_ptr<sensors::Source> {
    std::raise(SIGSEGV);
    return nullptr;
  };
  EXPECT_THAT([&] { made("hdf5_file", crash); },
              ThrowsMessage<ConfigError>(AllOf(HasSubstr("a.yaml:3:7"), HasSubstr("parameter 'file'"),
                                               HasSubstr("the HDF5 library crashes (Segmentation fault)"))));
  EXPECT_THAT([&] { made("psrfits_file", crash); },
              ThrowsMessage<ConfigError>(HasSubstr("the CFITSIO library crashes")));
}

TEST(A_guarded_source, throws_the_errors_of_its_reader) {
  EXPECT_THAT(
      [] {
        made("hdf5_file", [](const Parameters&, std::uint32_t) -> std::unique_ptr<sensors::Source> {
          throw ConfigError("it has no dataset");
        });
      },
      ThrowsMessage<ConfigError>(HasSubstr("it has no dataset")));
}

int calls = 0;

TEST(A_guarded_source, is_made_once_in_this_process) {
  const Make count = [](const Parameters&, std::uint32_t) -> std::unique_ptr<sensors::Source> {
    ++calls;
    return nullptr;
  };
  for (const char* const name : {"hdf5_file", "sigproc_file"}) {
    calls = 0;
    EXPECT_EQ(made(name, count), nullptr);
    EXPECT_EQ(calls, 1) << name;
  }
}

}  // namespace
}  // namespace takt::pipeline
