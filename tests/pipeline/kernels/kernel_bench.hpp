#pragma once
/// Test bench for one kernel: created from written parameters, fed with frames.

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/kernel.hpp"

namespace takt::pipeline::test {

/// Memory for one frame, with the alignment of the runtime.
class FrameMemory {
 public:
  explicit FrameMemory(const FrameType& type);

  [[nodiscard]] FrameView view() const { return {&header_, {bytes_.get(), size_}}; }
  [[nodiscard]] FrameBuffer buffer() { return {&header_, {bytes_.get(), size_}}; }
  [[nodiscard]] FrameHeader& header() { return header_; }

  template <class Element>
  [[nodiscard]] std::span<Element> as() {
    return buffer().as<Element>();
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::size_t size_;
  std::unique_ptr<std::byte[], Free> bytes_;
  FrameHeader header_;
};

/// Names and values as text; `[a, b]` is a list.
using Written = std::vector<std::pair<std::string, std::string>>;

/// Returns the parameters of a specification with these values. Throws ConfigError on any error.
[[nodiscard]] Parameters make_parameters(const std::vector<ParameterSpec>& specification,
                                         const Written& written);

class KernelBench {
 public:
  /// Creates and configures a built-in kernel. Throws the exceptions of its configuration.
  KernelBench(const std::string& kernel, const Written& written, std::vector<FrameType> inputs);

  [[nodiscard]] const FrameType& output_type() const { return output_type_; }
  /// The frames to fill before `process`, one per input.
  [[nodiscard]] FrameMemory& input(std::size_t index = 0) { return inputs_[index]; }
  /// The output of the last `process` or `finish`.
  [[nodiscard]] FrameMemory& output() { return *output_; }

  /// Runs the kernel like the runtime: the output's header starts as a copy of the first input's.
  Outcome process();
  Outcome finish() { return kernel_->finish(output_->buffer()); }
  /// Replaces the kernel by another object of the same configuration that loads
  /// its state. Does nothing when the kernel has no state.
  void transfer_state();

 private:
  [[nodiscard]] std::unique_ptr<Kernel> make(FrameType& output) const;

  const KernelKind* kind_;
  Written written_;
  std::vector<FrameType> types_;
  FrameType output_type_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<FrameMemory> inputs_;
  std::optional<FrameMemory> output_;
};

/// Returns a type of axes with sizes and no coordinates.
[[nodiscard]] FrameType frame_type(ElementType element,
                                   std::initializer_list<std::pair<std::string, std::size_t>> axes);

/// Returns the type of spectra of float32.
[[nodiscard]] FrameType spectra(std::size_t times, std::size_t channels);

}  // namespace takt::pipeline::test
