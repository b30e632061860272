#pragma once
/// Kernels: what a task does to a frame. This header is what a plug-in needs.
///
/// A plug-in is a shared library that exports
///   extern "C" void takt_register_kernels(takt::pipeline::KernelRegistry& registry);
/// and is named under `plugins:` of a pipeline.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/parameters.hpp"
#include "sensors/frame.hpp"

namespace takt::pipeline {

using sensors::Axis;
using sensors::ElementType;
using sensors::FrameBuffer;
using sensors::FrameHeader;
using sensors::FrameType;
using sensors::FrameView;

/// Whether a call filled the output frame, or took the input in and has nothing to give yet.
enum class Outcome : std::uint8_t { produced, absorbed };

/// One task's work. A kernel has one output and one or more inputs. Each kernel object is used by one thread.
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Type of the output for these input types; also allocates what `process` needs.
  /// Throws ConfigError (see Parameters::refuse) when the inputs do not fit.
  [[nodiscard]] virtual FrameType configure(std::span<const FrameType> inputs) = 0;

  /// One frame. The output's header is already a copy of the first input's. An exception ends the whole job with its
  /// message. Allocates nothing.
  virtual Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) = 0;

  /// Called once at the end of the stream: a kernel that gathers frames gives its unfinished rest here.
  virtual Outcome finish(const FrameBuffer& output) {
    (void)output;
    return Outcome::absorbed;
  }
};

/// A kind of kernel: its name, what it takes, and how to make one.
struct KernelKind {
  std::string name;
  /// One line for people.
  std::string summary;
  /// Stateless kernels may run successive frames on different processors.
  bool stateless = true;
  std::size_t inputs = 1;
  std::vector<ParameterSpec> parameters;
  std::unique_ptr<Kernel> (*make)(const Parameters& parameters);
};

/// The kernels that a pipeline can name: the built-in ones, then those of its plug-ins.
class KernelRegistry {
 public:
  /// Throws ConfigError when the name is taken.
  void add(KernelKind kind);
  /// Null when there is none of that name.
  [[nodiscard]] const KernelKind* find(std::string_view name) const;
  [[nodiscard]] const std::vector<KernelKind>& kinds() const { return kinds_; }

  /// Loads a shared library and lets it register its kernels; it stays loaded until the program ends.
  /// Throws ConfigError with the loader's reason, or when it does not export `takt_register_kernels`.
  void load_plugin(const std::string& path);

  [[nodiscard]] static KernelRegistry with_built_in_kernels();

 private:
  std::vector<KernelKind> kinds_;
};

}  // namespace takt::pipeline
