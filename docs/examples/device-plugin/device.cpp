// A plug-in with an asynchronous kernel, `square`: the square of every element, computed by a device. A pool
// of threads stands for the device: it works on several frames at once, and ends them in any order.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <takt/pipeline/kernel.hpp>

namespace {

using namespace takt::pipeline;

// What the device does with a frame. The memory is valid until the completion is complete.
struct Job {
  std::span<const float> from;
  std::span<float> to;
  Completion* completion = nullptr;
};

class Device {
 public:
  Device(std::size_t units, std::size_t most_jobs, std::chrono::nanoseconds time)
      : jobs_(most_jobs), time_(time) {
    for (std::size_t i = 0; i < units; ++i) threads_.emplace_back([this] { serve(); });
  }
  // Returns when no thread uses the memory of a frame.
  ~Device() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    has_changed_.notify_all();
  }

  // There are never more jobs than the depth of the kernel.
  void add(const Job& job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_[(first_ + count_++) % jobs_.size()] = job;
    }
    has_changed_.notify_one();
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      has_changed_.wait(lock, [this] { return count_ > 0 || is_ending_; });
      if (is_ending_) return;
      const Job job = jobs_[first_];
      first_ = (first_ + 1) % jobs_.size();
      --count_;
      lock.unlock();
      work(job);
      lock.lock();
    }
  }

  void work(const Job& job) const try {
    std::this_thread::sleep_for(time_);
    for (std::size_t i = 0; i < job.from.size(); ++i) {
      if (job.from[i] < 0) throw std::runtime_error(fmt::format("element {} is negative", i));
      job.to[i] = job.from[i] * job.from[i];
    }
    job.completion->done();
  } catch (...) {
    // Ends the run with this message, as the kernel's.
    job.completion->fail(std::current_exception());
  }

  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::vector<Job> jobs_;
  std::size_t first_ = 0, count_ = 0;
  bool is_ending_ = false;
  std::chrono::nanoseconds time_;
  // The last member: threads end before what they use.
  std::vector<std::jthread> threads_;
};

class Square final : public AsynchronousKernel {
 public:
  explicit Square(const Parameters& parameters)
      : depth_(static_cast<std::size_t>(parameters.integer("depth"))),
        device_(static_cast<std::size_t>(parameters.integer("units")), depth_, parameters.time("time")) {}

  FrameType configure(std::span<const FrameType> inputs) override {
    if (inputs.front().element != ElementType::float32)
      throw InputError(fmt::format("expected float32..., got {}", inputs.front().to_string()));
    return inputs.front();
  }

  [[nodiscard]] std::size_t depth() const override { return depth_; }

  // Hands the frame over, and returns at once.
  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    device_.add({inputs.front().as<float>(), output.as<float>(), &completion});
  }

 private:
  std::size_t depth_;
  Device device_;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "square",
                .summary = "squares every element on a device",
                .stateless = true,
                .parameters = {{.name = "depth",
                                .type = ParameterType::integer,
                                .fallback = "4",
                                .help = "frames under way at once",
                                .minimum = 1,
                                .maximum = 64},
                               {.name = "units",
                                .type = ParameterType::integer,
                                .fallback = "1",
                                .help = "frames that the device works on at once",
                                .minimum = 1,
                                .maximum = 64},
                               {.name = "time",
                                .type = ParameterType::time,
                                .fallback = "0",
                                .help = "time of the device for a frame"}},
                .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
                  return std::make_unique<Square>(parameters);
                }});
}
