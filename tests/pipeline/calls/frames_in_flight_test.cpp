/// Tests the frames under way of asynchronous kernels: their order, number, end, failures and state.

#include "pipeline/calls/frames_in_flight.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include "pipeline/calls/kernel_call.hpp"
#include "pipeline/kernel_state.hpp"

namespace takt::pipeline {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const FrameType numbers{.element = ElementType::float32, .axes = {Axis{"time", 4, {}}}};

Parameters no_parameters() {
  ErrorList errors;
  return Parameters({}, {}, {}, errors);
}

/// What a device may do with a frame whose elements are x: absorb it, fail, write too far, or complete it
/// wrongly.
constexpr float absorbs = -1, fails = -2, overflows = -3, errs = -4;

void complete(const FrameView& input, const FrameBuffer& output, float factor, Completion& completion) {
  const float x = input.as<float>().front();
  if (x == absorbs) return completion.done(Outcome::absorbed);
  if (x == errs) return completion.done(Outcome::more);
  if (x == fails) return completion.fail(std::make_exception_ptr(std::runtime_error("the device fell over")));
  for (float& each : output.as<float>()) each = factor * x;
  if (x == overflows) output.as<float>().data()[4] = 1;
  completion.done();
}

struct Job {
  FrameView input;
  FrameBuffer output;
  Completion* completion;
  float factor;
};

/// Multiplies by a factor. Its frames end in the order of a generator, by `threads` threads, or, without any,
/// as `poll` completes one frame at a time. Counts the frames under way.
class Remote final : public AsynchronousKernel {
 public:
  Remote(std::size_t depth, std::size_t threads, unsigned seed) : depth_(depth), random_(seed) {
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Remote() override {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    has_changed_.notify_all();
  }

  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  [[nodiscard]] std::size_t depth() const override { return depth_; }
  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({inputs.front(), output, &completion, factor_});
    most_ = std::max(most_, ++under_way_);
    has_changed_.notify_one();
  }
  bool poll() override {
    if (!threads_.empty()) return false;
    ++polls_;
    std::unique_lock lock(mutex_);
    if (!jobs_.empty() && random_() % 2 == 0) run_one(lock);
    return true;
  }
  bool change(const Parameters&) override {
    EXPECT_EQ(under_way_, 0U);
    factor_ += 1;
    return true;
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override {
    EXPECT_EQ(under_way_, 0U);
    return saved(factor_);
  }
  void load(std::span<const std::byte> state) override { load_into(state, factor_); }
  Outcome finish(const FrameBuffer& output) override {
    EXPECT_EQ(under_way_, 0U);
    if (has_finished_) return Outcome::absorbed;
    has_finished_ = true;
    for (float& each : output.as<float>()) each = 1e6;
    return Outcome::produced;
  }

  [[nodiscard]] std::size_t most_under_way() const { return most_; }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      has_changed_.wait(lock, [this] { return !jobs_.empty() || is_ending_; });
      if (jobs_.empty()) return;
      run_one(lock);
    }
  }
  void run_one(std::unique_lock<std::mutex>& lock) {
    std::swap(jobs_[random_() % jobs_.size()], jobs_.back());
    const Job job = jobs_.back();
    jobs_.pop_back();
    const unsigned naps = random_() % 4;
    --under_way_;
    lock.unlock();
    for (unsigned i = 0; i < naps; ++i) std::this_thread::yield();
    complete(job.input, job.output, job.factor, *job.completion);
    lock.lock();
  }

  std::size_t depth_;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::vector<Job> jobs_;
  std::mt19937 random_;
  float factor_ = 2;
  std::size_t under_way_ = 0, most_ = 0, polls_ = 0;
  bool is_ending_ = false, has_finished_ = false;
  std::vector<std::jthread> threads_;
};

std::unique_ptr<FramesInFlight> frames_of(std::size_t depth, std::size_t threads, unsigned seed,
                                          Remote** remote = nullptr) {
  const auto make = [=](const Parameters&) { return std::make_unique<Remote>(depth, threads, seed); };
  std::unique_ptr<Remote> kernel = make(no_parameters());
  if (remote != nullptr) *remote = kernel.get();
  return std::make_unique<FramesInFlight>(std::move(kernel), std::span(&numbers, 1), numbers, false, make);
}

/// Frames that came out: their numbers and first elements.
using Given = std::vector<std::pair<std::uint64_t, float>>;

/// A stream that goes through a kernel.
class Stream {
 public:
  explicit Stream(Kernel& kernel) : kernel_(&kernel) {}
  void continue_with(Kernel& kernel) { kernel_ = &kernel; }

  Outcome pass(float value) {
    std::vector<float> elements(4, value);
    FrameHeader header;
    header.sequence = next_++;
    header.change = static_cast<std::uint32_t>(header.sequence);
    const FrameView view{&header, std::as_bytes(std::span(elements))};
    const KernelResult result = call({.inputs = {&view, 1}, .output = {}, .has_canary = true});
    // The runtime uses the memory for the next frame.
    std::ranges::fill(elements, -9.0F);
    return result.outcome;
  }
  void finish() {
    for (bool has_finished = false; !has_finished;)
      has_finished = call({.inputs = {}, .finishes = true, .output = {}, .has_canary = true}).has_finished;
  }
  [[nodiscard]] const Given& given() const { return given_; }

 private:
  KernelResult call(KernelCall call) {
    std::vector<float> output(4 + canary_bytes / sizeof(float));
    FrameHeader header;
    call.output = {&header, std::as_writable_bytes(std::span(output).first(4))};
    const KernelResult result = call_kernel(*kernel_, call);
    if (result.outcome == Outcome::produced) given_.emplace_back(header.sequence, output[0]);
    return result;
  }

  Kernel* kernel_;
  std::uint64_t next_ = 0;
  Given given_;
};

TEST(FramesInFlight, keep_the_order_of_frames_whatever_order_they_end_in) {
  for (const std::size_t threads : {0, 1, 3})
    for (const std::size_t depth : {1, 2, 5, 16})
      for (unsigned seed = 0; seed < 4; ++seed) {
        Remote* remote = nullptr;
        const auto frames = frames_of(depth, threads, seed, &remote);
        Stream stream(*frames);
        Given expected;
        for (std::uint64_t i = 0; i < 100; ++i) {
          const bool is_absorbed = i % 7 == 3;
          // A frame comes out when `depth` others have come.
          const bool is_due = i >= depth && (i - depth) % 7 != 3;
          EXPECT_EQ(stream.pass(is_absorbed ? absorbs : static_cast<float>(i)),
                    is_due ? Outcome::produced : Outcome::absorbed);
          if (!is_absorbed) expected.emplace_back(i, 2 * static_cast<float>(i));
        }
        stream.finish();
        expected.emplace_back(0, 1e6F);  // what the kernel itself has kept, at last
        ASSERT_THAT(stream.given(), ElementsAreArray(expected)) << threads << ' ' << depth << ' ' << seed;
        EXPECT_LE(remote->most_under_way(), depth);
      }
}

/// A device that begins when all of its places are full, which a runtime that waits for each frame never
/// fills.
class Batch final : public AsynchronousKernel {
 public:
  FrameType configure(std::span<const FrameType> inputs) override { return inputs.front(); }
  [[nodiscard]] std::size_t depth() const override { return 3; }
  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    jobs_.push_back({inputs.front(), output, &completion, 1});
    if (jobs_.size() < depth()) return;
    for (; !jobs_.empty(); jobs_.pop_back())
      complete(jobs_.back().input, jobs_.back().output, 1, *jobs_.back().completion);
  }

 private:
  std::vector<Job> jobs_;
};

TEST(FramesInFlight, are_as_many_as_the_depth_at_once) {
  const auto make = [](const Parameters&) { return std::make_unique<Batch>(); };
  FramesInFlight frames(make(no_parameters()), std::span(&numbers, 1), numbers, true, make);
  Stream stream(frames);
  for (int i = 0; i < 9; ++i) stream.pass(static_cast<float>(i));
  stream.finish();
  Given expected;
  for (std::uint64_t i = 0; i < 9; ++i) expected.emplace_back(i, static_cast<float>(i));
  EXPECT_THAT(stream.given(), ElementsAreArray(expected));
}

TEST(FramesInFlight, pass_a_failure_on_in_the_place_of_its_frame) {
  for (const float fault : {fails, overflows, errs}) {
    const auto frames = frames_of(3, 2, 1);
    Stream stream(*frames);
    for (const float value : {1.0F, fault, 2.0F}) stream.pass(value);
    EXPECT_EQ(stream.pass(3), Outcome::produced);
    const std::string text = fault == fails       ? "the device fell over"
                             : fault == overflows ? "past the end"
                                                  : "Completion::done";
    EXPECT_THAT([&] { stream.pass(4); }, ThrowsMessage<std::exception>(HasSubstr(text))) << fault;
    EXPECT_THAT(stream.given(), ElementsAreArray(Given{{0, 2}}));
  }
}

TEST(FramesInFlight, are_part_of_a_state_from_which_another_object_continues) {
  for (std::size_t at = 0; at < 12; ++at) {
    const auto whole = frames_of(4, 2, 1), first = frames_of(4, 2, 2), second = frames_of(4, 0, 3);
    Stream expected(*whole), actual(*first);
    for (std::size_t i = 0; i < 12; ++i) {
      if (i == at) {
        second->load(first->save().value());
        actual.continue_with(*second);
      }
      const float value = i == 5 ? absorbs : static_cast<float>(i);
      for (Stream* stream : {&expected, &actual}) stream->pass(value);
      if (i == 2) {
        (void)whole->change(no_parameters());
        (void)(at <= i ? second : first)->change(no_parameters());
      }
    }
    for (Stream* stream : {&expected, &actual}) stream->finish();
    ASSERT_THAT(actual.given(), ElementsAreArray(expected.given())) << at;
  }
  EXPECT_THROW(frames_of(2, 1, 1)->load(std::vector<std::byte>(3)), WorkError);
}

TEST(FramesInFlight, started_before_a_change_keep_the_old_parameters) {
  const auto frames = frames_of(4, 2, 1);
  Stream stream(*frames);
  for (int i = 1; i <= 5; ++i) stream.pass(static_cast<float>(i));
  EXPECT_TRUE(frames->change(no_parameters()));
  for (int i = 6; i <= 7; ++i) stream.pass(static_cast<float>(i));
  stream.finish();
  EXPECT_THAT(stream.given(),
              ElementsAreArray(Given{{0, 2}, {1, 4}, {2, 6}, {3, 8}, {4, 10}, {5, 18}, {6, 21}, {0, 1e6F}}));
}

TEST(SerialTasks, run_in_the_order_of_the_calls) {
  Tasks& tasks = serial_tasks();
  std::vector<int> order;
  tasks.run([&] {
    tasks.spawn([&] {
      tasks.spawn([&] { order.push_back(3); });
      order.push_back(2);
    });
    tasks.spawn([&] { order.push_back(4); });
    order.push_back(1);
    tasks.wait();
    tasks.spawn([&] { order.push_back(6); });
    order.push_back(5);
  });
  EXPECT_THAT(order, ElementsAreArray({1, 2, 3, 4, 5, 6}));
  EXPECT_THAT([&] { tasks.spawn([] {}); }, ThrowsMessage<std::logic_error>(HasSubstr("within Tasks::run")));
  EXPECT_THAT(
      [&] {
        tasks.run([&] {
          tasks.spawn([] { throw std::runtime_error("first"); });
          tasks.spawn([&] { order.push_back(7); });
          tasks.spawn([] { throw std::runtime_error("second"); });
        });
      },
      ThrowsMessage<std::runtime_error>("first"));
  EXPECT_EQ(order.back(), 7);
  std::vector<std::size_t> seen;
  tasks.parallel_for(
      5, [&](std::size_t i) { seen.push_back(i); }, 2);
  EXPECT_THAT(seen, ElementsAreArray({0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace takt::pipeline
