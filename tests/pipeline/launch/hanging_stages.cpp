/// A plug-in with a source, a kernel and a sink that do not return from one of
/// their functions, or return false results.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/kernel.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/stage_kinds.hpp"
#include "sensors/sink.hpp"
#include "sensors/source.hpp"

namespace {

using namespace takt::pipeline;
namespace sensors = takt::sensors;

bool is_rank() {
  return std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
}

/// A fault in one function of a stage, in all its objects from a given one on.
class Fault {
 public:
  Fault(const Parameters& parameters, int& made)
      : where_(parameters.text("where")),
        how_(parameters.text("how")),
        is_here_((parameters.text("process") == "rank") == is_rank() &&
                 made++ >= parameters.integer("spare")) {}

  [[nodiscard]] bool is_at(std::string_view function) const { return is_here_ && function == where_; }
  [[nodiscard]] bool is(std::string_view how) const { return is_here_ && how_ == how; }
  /// For tests that wait until a function is active.
  static void say(const char* what) {
    std::fprintf(stderr, "%s %d\n", what, ::getpid());
    std::fflush(stderr);
  }
  void pass(std::string_view function) const {
    if (!is_at(function)) return;
    if (how_ == "hang") {
      say("asleep");
      while (true) ::sleep(300);
    }
    if (how_ == "throw_lines")
      throw std::runtime_error(
          "one\ntwo\x1b[31m\xc2\x9b"
          "3");
  }

 private:
  std::string where_, how_;
  bool is_here_;
};

std::vector<ParameterSpec> fault_parameters() {
  return {
      {.name = "where", .fallback = "nowhere", .help = "function"},
      {.name = "how", .fallback = "hang", .help = "hang, throw_lines, ..."},
      {.name = "process", .fallback = "rank", .help = "rank or launcher"},
      {.name = "spare", .type = ParameterType::integer, .fallback = "0", .help = "objects that are well"}};
}

/// Closes files of other code.
void close_files() {
  struct stat found {};
  for (int descriptor = 3; descriptor < 256; ++descriptor)
    if (::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) ::close(descriptor);
}

class HangingKernel final : public Kernel {
 public:
  explicit HangingKernel(const Parameters& parameters) : fault_(parameters, made()) {
    fault_.pass("construction");
  }
  ~HangingKernel() override { fault_.pass("destruction"); }  // NOLINT(bugprone-exception-escape)

  FrameType configure(std::span<const FrameType> inputs) override {
    fault_.pass("configure");
    return inputs[0];
  }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (++frames_ > 3) fault_.pass("process");
    if (frames_ == 4 && fault_.is("endless")) Fault::say("awake");
    // Continues until another object is to load the saved state.
    if (frames_ > 100'000 && fault_.is_at("load") && !was_loaded_) std::abort();
    std::ranges::copy(inputs[0].bytes, output.bytes.begin());
    if (fault_.is("overrun")) std::fill_n(output.bytes.data() + output.bytes.size(), 64, std::byte{0});
    if (fault_.is("close_files")) close_files();
    if (fault_.is("more")) return Outcome::more;
    if (fault_.is("seven")) return static_cast<Outcome>(7);
    return Outcome::produced;
  }
  Outcome finish(const FrameBuffer& output) override {
    fault_.pass("finish");
    if (fault_.is("endless")) {
      std::ranges::fill(output.bytes, std::byte{0});
      return Outcome::more;
    }
    return fault_.is("finish_nine") ? static_cast<Outcome>(9) : Outcome::absorbed;
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    if (frames_ > 0) fault_.pass("save");
    return saved(frames_);
  }
  void load(std::span<const std::byte> state) override {
    fault_.pass("load");
    load_into(state, frames_);
    was_loaded_ = true;
  }

 private:
  static int& made() {
    static int made = 0;
    return made;
  }
  Fault fault_;
  std::uint64_t frames_ = 0;
  bool was_loaded_ = false;
};

/// Sums frames; saves a state although its kind is registered as stateless.
class LyingSum final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto from = inputs[0].as<std::int32_t>();
    const auto to = output.as<std::int32_t>();
    sum_ += from[0];
    std::ranges::fill(to, sum_);
    return Outcome::produced;
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(sum_); }
  void load(std::span<const std::byte> state) override { load_into(state, sum_); }

 private:
  std::int32_t sum_ = 0;
};

/// Delivers `frames` frames of four numbers, each with the number of the frame.
class HangingSource final : public sensors::Source {
 public:
  explicit HangingSource(const Parameters& parameters)
      : fault_(parameters, made()), frames_(static_cast<std::uint64_t>(parameters.integer("frames"))) {
    fault_.pass("construction");
    type_.element = ElementType::int32;
    type_.axes = {Axis{"sample", 4, {}}};
  }
  ~HangingSource() override { fault_.pass("destruction"); }  // NOLINT(bugprone-exception-escape)
  [[nodiscard]] const FrameType& type() const override { return type_; }
  void start() override { fault_.pass("start"); }
  sensors::SourceState poll(FrameView& frame) override {
    if (given_ == 3) fault_.pass("poll");
    if (given_ == 3 && fault_.is_at("wait")) return sensors::SourceState::waiting;
    if (given_ == frames_ || is_stopped_) return sensors::SourceState::ended;
    values_.fill(static_cast<std::int32_t>(given_));
    header_ = {.sequence = given_++};
    frame = {&header_, std::as_bytes(std::span(values_))};
    return sensors::SourceState::frame;
  }
  void release() override {
    if (given_ == 3) fault_.pass("release");
  }
  void wait(std::int64_t latest_ns) override {
    fault_.pass("wait");
    Source::wait(latest_ns);
  }
  void stop() override {
    fault_.pass("stop");
    is_stopped_ = true;
  }
  [[nodiscard]] sensors::SourceCounters counters() const override { return {.ingested = given_}; }

 private:
  static int& made() {
    static int made = 0;
    return made;
  }
  Fault fault_;
  std::uint64_t frames_, given_ = 0;
  bool is_stopped_ = false;
  FrameType type_;
  FrameHeader header_;
  std::array<std::int32_t, 4> values_{};
};

class HangingSink final : public sensors::Sink {
 public:
  explicit HangingSink(const Parameters& parameters) : fault_(parameters, made()) {
    fault_.pass("construction");
  }
  ~HangingSink() override { fault_.pass("destruction"); }  // NOLINT(bugprone-exception-escape)
  void open() override { fault_.pass("open"); }
  void write(const FrameView&) override {
    if (++frames_ > 3) fault_.pass("write");
  }
  void close() override { fault_.pass("close"); }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override { return saved(); }
  [[nodiscard]] std::string location() const override { return {}; }

 private:
  static int& made() {
    static int made = 0;
    return made;
  }
  Fault fault_;
  int frames_ = 0;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "hanging",
                .summary = "does not come back as told",
                .stateless = false,
                .parameters = fault_parameters(),
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(std::make_unique<HangingKernel>(parameters));
                }});
  registry.add(
      {.name = "lying_sum",
       .summary = "saves a state and says that it keeps none",
       .stateless = true,
       .make = [](const Parameters&) { return std::unique_ptr<Kernel>(std::make_unique<LyingSum>()); }});
  std::vector<ParameterSpec> parameters = fault_parameters();
  parameters.push_back(
      {.name = "frames", .type = ParameterType::integer, .fallback = "20", .help = "how many it gives"});
  registry.add_source({.name = "hanging_source",
                       .summary = "does not come back as told",
                       .parameters = parameters,
                       .make = [](const Parameters& given, std::uint32_t) {
                         return std::unique_ptr<sensors::Source>(std::make_unique<HangingSource>(given));
                       }});
  registry.add_sink({.name = "hanging_sink",
                     .summary = "does not come back as told",
                     .parameters = fault_parameters(),
                     .make = [](const Parameters& given, const FrameType&) {
                       return std::unique_ptr<sensors::Sink>(std::make_unique<HangingSink>(given));
                     }});
}
