/// A plug-in with kernels for the tests of the runtime.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "pipeline/kernel.hpp"
#include "pipeline/kernel_state.hpp"
#include "pipeline/stage_kinds.hpp"

namespace {

using namespace takt::pipeline;

/// Adds two int32 streams of one shape.
class Add final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto a = inputs[0].as<std::int32_t>(), b = inputs[1].as<std::int32_t>();
    const auto sum = output.as<std::int32_t>();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = a[i] + b[i];
    return Outcome::produced;
  }
};

/// Fails on the frame whose elements are a given number.
class Fail final : public Kernel {
 public:
  Fail(std::int64_t frame, bool crashes) : frame_(frame), crashes_(crashes) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    if (inputs[0].as<std::int32_t>()[0] == frame_) {
      if (crashes_) std::abort();
      throw std::runtime_error("the antenna fell over");
    }
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    return Outcome::produced;
  }

 private:
  std::int64_t frame_;
  bool crashes_;
};

/// Passes frames on after some work; its hand-off of an empty state is slow.
class Slow final : public Kernel {
 public:
  Slow(takt::Time work, takt::Time hand_over) : work_(work), hand_over_(hand_over) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto end = std::chrono::steady_clock::now() + work_;
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    while (std::chrono::steady_clock::now() < end)
      ;
    has_worked_ = true;
    return Outcome::produced;
  }
  std::optional<std::vector<std::byte>> save() const override {
    if (has_worked_) std::this_thread::sleep_for(hand_over_);
    return std::vector<std::byte>{};
  }
  void load(std::span<const std::byte>) override {}

 private:
  takt::Time work_, hand_over_;
  bool has_worked_ = false;
};

/// Data-parallel by the first axis: adds up `frames` int32 frames, and
/// optionally fails on one member at a given frame.
class Together final : public Kernel {
 public:
  explicit Together(const Parameters& parameters)
      : frames_(parameters.integer("frames")), at_(parameters.integer("at")), how_(parameters.text("how")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType output = inputs.front();
    output.rate_hz /= static_cast<double>(frames_);
    sums_.resize(output.element_count());
    return output;
  }
  [[nodiscard]] bool is_stateless() const override { return frames_ == 1; }
  [[nodiscard]] std::optional<BlockDistribution> distribution() const override {
    return BlockDistribution{.inputs = {0}, .output = 0};
  }
  void join(Group& group) override {
    group_ = &group;
    tokens_.resize(group.size());
    sharing_.emplace(group, std::as_writable_bytes(std::span(tokens_)), tokens_.size());
  }

  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto sequence = static_cast<std::int64_t>(inputs[0].header->sequence);
    if (group_ != nullptr && group_->rank() == 1 && sequence == at_) go_wrong();
    if (group_ != nullptr) {
      tokens_[group_->rank()] = sequence;
      sharing_->run();
      for (const std::int64_t token : tokens_)
        if (token != sequence) throw std::runtime_error("members of the group are not at the same frame");
    }
    const auto from = inputs[0].as<std::int32_t>();
    if (gathered_ == 0) std::ranges::fill(sums_, 0);
    for (std::size_t i = 0; i < from.size(); ++i) sums_[i] += from[i];
    ++gathered_;
    combined_ += inputs[0].header->combined;
    return gathered_ < frames_ ? Outcome::absorbed : give(output);
  }
  Outcome finish(const FrameBuffer& output) override {
    return gathered_ == 0 ? Outcome::absorbed : give(output);
  }

 private:
  Outcome give(const FrameBuffer& output) {
    const auto to = output.as<std::int32_t>();
    std::copy_n(sums_.begin(), to.size(), to.begin());
    output.header->sequence = given_++;
    output.header->combined = std::exchange(combined_, 0);
    gathered_ = 0;
    return Outcome::produced;
  }
  void go_wrong() const {
    if (how_ == "throw") throw std::runtime_error("the antenna fell over");
    if (how_ == "die") ::raise(SIGKILL);
    if (how_ == "hang") ::sleep(300);
  }

  std::int64_t frames_, at_;
  std::string how_;
  std::int64_t gathered_ = 0;
  std::uint32_t combined_ = 0;
  std::uint64_t given_ = 0;
  std::vector<std::int32_t> sums_;
  std::vector<std::int64_t> tokens_;
  Group* group_ = nullptr;
  std::optional<BlockSharing> sharing_;
};

/// Absorbs some frames.
class Swallow final : public Kernel {
 public:
  Swallow(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto frame = static_cast<std::int64_t>(inputs[0].header->sequence);
    if (frame >= from_ && frame <= to_) return Outcome::absorbed;
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    return Outcome::produced;
  }

 private:
  std::int64_t from_, to_;
};

/// Sums `frames` frames into one and flushes the rest at the end.
class Sum final : public Kernel {
 public:
  explicit Sum(std::int64_t frames) : frames_(frames) {}
  FrameType configure(std::span<const FrameType> inputs) override {
    sum_.assign(inputs[0].element_count(), 0);
    return inputs[0];
  }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto values = inputs[0].as<std::int32_t>();
    for (std::size_t i = 0; i < sum_.size(); ++i) sum_[i] += values[i];
    combined_ += inputs[0].header->combined;
    return ++count_ == frames_ ? give(output) : Outcome::absorbed;
  }
  Outcome finish(const FrameBuffer& output) override { return count_ > 0 ? give(output) : Outcome::absorbed; }

 private:
  Outcome give(const FrameBuffer& output) {
    std::copy(sum_.begin(), sum_.end(), output.as<std::int32_t>().begin());
    sum_.assign(sum_.size(), 0);
    count_ = 0;
    output.header->combined = std::exchange(combined_, 0);
    return Outcome::produced;
  }

  std::int64_t frames_;
  std::int64_t count_ = 0;
  std::uint32_t combined_ = 0;
  std::vector<std::int32_t> sum_;
};

/// Adds a number that depends on all earlier frames to each of `frames` frames, and sums these. Gives the
/// result `delay` results later, and flushes the last ones one by one. Its state may travel. With `fresh`, a
/// change of `factor` needs a new kernel.
class Carry final : public Kernel {
 public:
  explicit Carry(const Parameters& parameters)
      : frames_(parameters.integer("frames")),
        delay_(static_cast<std::size_t>(parameters.integer("delay"))),
        factor_(static_cast<std::uint32_t>(parameters.integer("factor"))),
        is_fresh_(parameters.boolean("fresh")) {}
  FrameType configure(std::span<const FrameType> inputs) override {
    size_ = inputs[0].element_count();
    results_.resize((delay_ + 1) * (size_ + 1));
    FrameType type = inputs[0];
    type.rate_hz /= static_cast<double>(frames_);
    return type;
  }
  bool change(const Parameters& parameters) override {
    factor_ = static_cast<std::uint32_t>(parameters.integer("factor"));
    carry_ += 1000;
    return !is_fresh_;
  }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto values = inputs[0].as<std::uint32_t>();
    std::uint32_t* const sums = result(given_ + held_);
    if (count_ == 0) std::fill_n(sums, size_ + 1, 0U);
    for (std::size_t i = 0; i < size_; ++i) sums[i] += values[i] + carry_;
    sums[size_] += inputs[0].header->combined;
    carry_ = carry_ * factor_ + values[0] + 1;
    if (++count_ < frames_) return Outcome::absorbed;
    count_ = 0;
    return ++held_ > delay_ ? give(output) : Outcome::absorbed;
  }
  Outcome finish(const FrameBuffer& output) override {
    if (std::exchange(count_, 0) > 0) ++held_;
    if (held_ == 0) return Outcome::absorbed;
    (void)give(output);
    return held_ > 0 ? Outcome::more : Outcome::produced;
  }
  std::optional<std::vector<std::byte>> save() const override {
    return saved(carry_, count_, held_, given_, results_);
  }
  void load(std::span<const std::byte> state) override {
    load_into(state, carry_, count_, held_, given_, results_);
  }
  std::size_t travelling_state() const override { return save()->size(); }

 private:
  std::uint32_t* result(std::uint64_t number) {
    return results_.data() + number % (delay_ + 1) * (size_ + 1);
  }
  Outcome give(const FrameBuffer& output) {
    const std::uint32_t* const sums = result(given_);
    std::copy_n(sums, size_, output.as<std::uint32_t>().begin());
    if (frames_ > 1 || delay_ > 0) output.header->sequence = given_;
    ++given_;
    output.header->combined = sums[size_];
    --held_;
    return Outcome::produced;
  }

  std::int64_t frames_;
  std::size_t delay_;
  std::uint32_t factor_;
  bool is_fresh_;
  std::size_t size_ = 0;
  std::uint32_t carry_ = 0;
  std::int64_t count_ = 0;
  /// Results that wait, and all that were given.
  std::uint64_t held_ = 0, given_ = 0;
  /// Rings of results, each followed by its `combined`.
  std::vector<std::uint32_t> results_;
};

/// Passes frames on; its state, which may travel, has one byte per frame, and more than it declares after
/// eight.
class Grows final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    state_.push_back(std::byte{1});
    return Outcome::produced;
  }
  std::optional<std::vector<std::byte>> save() const override { return state_; }
  void load(std::span<const std::byte> state) override { state_.assign(state.begin(), state.end()); }
  std::size_t travelling_state() const override { return 8; }

 private:
  std::vector<std::byte> state_;
};

/// Passes frames on, and kills its process at one frame unless the file `mark` exists, which it makes first.
class DiesOnce final : public Kernel {
 public:
  DiesOnce(std::int64_t at, std::string mark) : at_(at), mark_(std::move(mark)) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    if (static_cast<std::int64_t>(inputs[0].header->sequence) == at_ && ::access(mark_.c_str(), F_OK) != 0) {
      std::ofstream(mark_) << 'x';
      ::raise(SIGKILL);
    }
    return Outcome::produced;
  }

 private:
  std::int64_t at_;
  std::string mark_;
};

/// Flushes without end.
class Endless final : public Kernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView>, const FrameBuffer&) override { return Outcome::absorbed; }
  Outcome finish(const FrameBuffer& output) override {
    ::usleep(1000);
    output.header->sequence = number_++;
    return Outcome::more;
  }

 private:
  std::uint64_t number_ = 0;
};

/// Fails unless its thread neither allocates nor locks between two frames. Needs call_counter.cpp.
class Thrifty final : public Kernel {
 public:
  Thrifty(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    std::copy(inputs[0].bytes.begin(), inputs[0].bytes.end(), output.bytes.begin());
    const auto frame = static_cast<std::int64_t>(inputs[0].header->sequence);
    if (frame < from_ || frame > to_) return Outcome::produced;
    static const auto count =
        reinterpret_cast<void (*)(std::uint64_t*, std::uint64_t*)>(::dlsym(RTLD_DEFAULT, "takt_count_calls"));
    if (count == nullptr) throw std::runtime_error("the counter of calls is not loaded");
    std::uint64_t allocations = 0, locks = 0;
    count(&allocations, &locks);
    if (!has_begun_) {
      has_begun_ = true;
      allocations_ = allocations;
      locks_ = locks;
    }
    if (allocations != allocations_ || locks != locks_)
      throw std::runtime_error("calls until frame " + std::to_string(frame) + ": " +
                               std::to_string(allocations - allocations_) + " of the allocator, " +
                               std::to_string(locks - locks_) + " of mutexes");
    return Outcome::produced;
  }

 private:
  std::int64_t from_, to_;
  bool has_begun_ = false;
  std::uint64_t allocations_ = 0, locks_ = 0;
};

/// Declares an arbitrary, possibly invalid, rate of its frames.
class Rate final : public Kernel {
 public:
  explicit Rate(double hertz) : hertz_(hertz) {}
  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs[0];
    type.rate_hz = hertz_;
    return type;
  }
  Outcome process(std::span<const FrameView>, const FrameBuffer&) override { return Outcome::produced; }

 private:
  double hertz_;
};

/// Writes the number of its rank into the second element; one rank takes fifty times as long.
class Signs final : public Kernel {
 public:
  Signs(std::int64_t slow_rank, std::chrono::nanoseconds time)
      : rank_(number_of_rank()), time_(rank_ == slow_rank ? time : time / 50) {}
  FrameType configure(std::span<const FrameType> inputs) override { return inputs[0]; }
  Outcome process(std::span<const FrameView> inputs, const FrameBuffer& output) override {
    const auto in = inputs[0].as<std::int32_t>();
    const auto out = output.as<std::int32_t>();
    std::ranges::copy(in, out.begin());
    out[1] = rank_;
    std::this_thread::sleep_for(time_);
    return Outcome::produced;
  }

 private:
  /// Returns the number of the rank under mpirun.
  static std::int32_t number_of_rank() {
    const char* const number = std::getenv("OMPI_COMM_WORLD_RANK");
    return number == nullptr ? -1 : std::atoi(number);
  }

  std::int32_t rank_;
  std::chrono::nanoseconds time_;
};

/// Writes frames, in any order, each to its place in a file by its number. All ranks open it before the first
/// frame.
class Placed final : public takt::sensors::Sink {
 public:
  explicit Placed(std::string path) : path_(std::move(path)) {}
  ~Placed() override { close(); }
  void open() override { file_ = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644); }
  void write(const FrameView& frame) override {
    const auto at = static_cast<off_t>(frame.header->sequence * frame.bytes.size());
    if (::pwrite(file_, frame.bytes.data(), frame.bytes.size(), at) != std::ssize(frame.bytes))
      throw std::runtime_error("cannot write " + path_);
  }
  void close() override {
    if (file_ >= 0) ::close(std::exchange(file_, -1));
  }
  [[nodiscard]] bool may_be_shared() const override { return true; }
  [[nodiscard]] std::string location() const override { return path_; }

 private:
  std::string path_;
  int file_ = -1;
};

/// Each object writes a byte to a file at its first frame.
class Alarms final : public takt::sensors::Sink {
 public:
  explicit Alarms(std::string begun) : begun_(std::move(begun)) {}
  void open() override {}
  void write(const FrameView&) override {
    if (!begun_.empty()) std::ofstream(std::exchange(begun_, {}), std::ios::app) << 'x';
    if (is_closed_) throw std::runtime_error("a frame behind the end");
  }
  void close() override {
    if (std::exchange(is_closed_, true)) throw std::runtime_error("closed twice");
  }
  [[nodiscard]] bool may_be_shared() const override { return true; }
  [[nodiscard]] std::string location() const override { return {}; }

 private:
  std::string begun_;
  bool is_closed_ = false;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "add",
                .summary = "sum of two streams",
                .stateless = true,
                .inputs = 2,
                .make = [](const Parameters&) { return std::unique_ptr<Kernel>(std::make_unique<Add>()); }});
  registry.add(
      {.name = "fail",
       .summary = "fails on one frame",
       .stateless = true,
       .parameters = {{.name = "frame", .type = ParameterType::integer, .help = "number of the frame"},
                      {.name = "how", .fallback = "throw", .help = "throw crash"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(
             std::make_unique<Fail>(parameters.integer("frame"), parameters.text("how") == "crash"));
       }});
  registry.add({.name = "sum_of_frames",
                .summary = "sums successive frames",
                .stateless = false,
                .parameters = {{.name = "frames", .type = ParameterType::integer, .help = "frames in a sum"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(std::make_unique<Sum>(parameters.integer("frames")));
                }});
  registry.add(
      {.name = "carry",
       .summary = "adds numbers that depend on all earlier frames; its state may travel",
       .stateless = false,
       .parameters =
           {{.name = "frames", .type = ParameterType::integer, .fallback = "1", .help = "frames in a sum"},
            {.name = "delay", .type = ParameterType::integer, .fallback = "0", .help = "results"},
            {.name = "factor",
             .type = ParameterType::integer,
             .fallback = "3",
             .help = "of the number",
             .may_change = true},
            {.name = "fresh",
             .type = ParameterType::boolean,
             .fallback = "false",
             .help = "whether a change needs a new kernel"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(std::make_unique<Carry>(parameters));
       }});
  registry.add(
      {.name = "grows",
       .summary = "has a state that becomes larger than declared",
       .stateless = false,
       .make = [](const Parameters&) { return std::unique_ptr<Kernel>(std::make_unique<Grows>()); }});
  registry.add({.name = "dies_once",
                .summary = "kills its process at one frame",
                .stateless = true,
                .parameters = {{.name = "at", .type = ParameterType::integer, .help = "number of the frame"},
                               {.name = "mark", .help = "file that it makes first"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(
                      std::make_unique<DiesOnce>(parameters.integer("at"), parameters.text("mark")));
                }});
  registry.add({.name = "slow",
                .summary = "hands frames on, and takes its time to hand over what it keeps",
                .stateless = false,
                .parameters = {{.name = "work", .type = ParameterType::time, .help = "of a frame"},
                               {.name = "hand_over", .type = ParameterType::time, .help = "of its state"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(
                      std::make_unique<Slow>(parameters.time("work"), parameters.time("hand_over")));
                }});
  registry.add(
      {.name = "together",
       .summary = "sums successive frames by groups of ranks, and goes wrong in one of them",
       .stateless = false,
       .parameters = {{.name = "frames", .type = ParameterType::integer, .fallback = "1", .help = "in a sum"},
                      {.name = "at", .type = ParameterType::integer, .fallback = "-1", .help = "which frame"},
                      {.name = "how", .fallback = "throw", .help = "throw die hang"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(std::make_unique<Together>(parameters));
       }});
  registry.add(
      {.name = "swallow",
       .summary = "gives nothing of some frames",
       .stateless = true,
       .parameters = {{.name = "from", .type = ParameterType::integer, .fallback = "0", .help = "first"},
                      {.name = "to", .type = ParameterType::integer, .fallback = "1000000", .help = "last"}},
       .make = [](const Parameters& parameters) {
         return std::unique_ptr<Kernel>(
             std::make_unique<Swallow>(parameters.integer("from"), parameters.integer("to")));
       }});
  registry.add(
      {.name = "endless",
       .summary = "gives one frame of its rest after the other",
       .stateless = false,
       .make = [](const Parameters&) { return std::unique_ptr<Kernel>(std::make_unique<Endless>()); }});
  registry.add({.name = "thrifty",
                .summary = "fails where its rank allocates or takes locks between two frames",
                .stateless = false,
                .parameters = {{.name = "from", .type = ParameterType::integer, .help = "first frame"},
                               {.name = "to", .type = ParameterType::integer, .help = "last frame"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(
                      std::make_unique<Thrifty>(parameters.integer("from"), parameters.integer("to")));
                }});
  registry.add({.name = "rate",
                .summary = "says that its frames have this rate",
                .stateless = true,
                .parameters = {{.name = "of", .help = "a number, of Hz"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(
                      std::make_unique<Rate>(std::strtod(parameters.text("of").c_str(), nullptr)));
                }});
  registry.add({.name = "signs",
                .summary = "the rank's number in the second element",
                .stateless = true,
                .parameters = {{.name = "slow_rank", .type = ParameterType::integer, .help = "a rank"},
                               {.name = "time", .type = ParameterType::time, .help = "of a frame there"}},
                .make = [](const Parameters& parameters) {
                  return std::unique_ptr<Kernel>(
                      std::make_unique<Signs>(parameters.integer("slow_rank"), parameters.time("time")));
                }});
  registry.add_sink({.name = "placed",
                     .summary = "writes frames in any order, each to its place",
                     .parameters = {{.name = "path", .help = "file"}},
                     .make = [](const Parameters& parameters, const FrameType&) {
                       return std::unique_ptr<takt::sensors::Sink>(
                           std::make_unique<Placed>(parameters.text("path")));
                     }});
  registry.add_sink(
      {.name = "alarms",
       .summary = "takes frames in any order, and none once it is closed",
       .parameters = {{.name = "begun", .fallback = "", .help = "file with a byte for each object at work"}},
       .make = [](const Parameters& parameters, const FrameType&) {
         return std::unique_ptr<takt::sensors::Sink>(std::make_unique<Alarms>(parameters.text("begun")));
       }});
}
