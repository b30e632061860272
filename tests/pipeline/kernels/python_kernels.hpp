#pragma once
/// Scripts as kernels on the test bench.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/pipeline/kernels/kernel_bench.hpp"
#include "tests/support/program.hpp"

namespace takt::pipeline::test {

class PythonKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!takt::test::python_has_numpy()) GTEST_SKIP() << "no numpy";
  }

  /// Returns a kernel of a script with this text.
  KernelBench kernel(const std::string& text, std::vector<FrameType> inputs, Written written = {}) {
    written.emplace_back("file", folder_.file("script.py", text));
    written.emplace_back("interpreter", takt::test::python);
    return {"python", written, std::move(inputs)};
  }
  std::string refusal(const std::string& text, std::vector<FrameType> inputs, const Written& written = {}) {
    try {
      (void)kernel(text, std::move(inputs), written);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "taken";
  }
  std::string script() const { return (folder_ / "script.py").string(); }

  takt::test::TemporaryFolder folder_;
};

}  // namespace takt::pipeline::test
