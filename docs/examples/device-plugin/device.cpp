// A plug-in with an asynchronous kernel, `square`: the square of every element, computed by a device. A pool
// of threads stands for the device: it works on several frames at once, and ends them in any order.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <takt/pipeline/kernel.hpp>

namespace {

using namespace takt::pipeline;

// The work on a frame. The memory is valid until the frame is complete.
struct Job {
  std::span<const float> from;
  std::span<float> to;
  std::chrono::nanoseconds time;
  Completion* completion = nullptr;
  // The kernel.
  const void* owner = nullptr;
};

class Device {
 public:
  explicit Device(std::size_t units) {
    for (std::size_t i = 0; i < units; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Device() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    has_changed_.notify_all();
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] std::size_t units() const { return threads_.size(); }

  void add(const Job& job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(job);
    }
    has_changed_.notify_one();
  }

  // Drops the jobs of a kernel; returns when no thread uses the memory of its frames.
  void leave(const void* owner) {
    std::unique_lock lock(mutex_);
    std::erase_if(jobs_, [&](const Job& job) { return job.owner == owner; });
    has_ended_.wait(lock, [&] { return std::ranges::count(owners_at_work_, owner) == 0; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      has_changed_.wait(lock, [this] { return !jobs_.empty() || is_ending_; });
      if (is_ending_) return;
      const Job job = jobs_.front();
      jobs_.pop_front();
      owners_at_work_.push_back(job.owner);
      lock.unlock();
      work(job);
      lock.lock();
      owners_at_work_.erase(std::ranges::find(owners_at_work_, job.owner));
      has_ended_.notify_all();
    }
  }

  static void work(const Job& job) try {
    std::this_thread::sleep_for(job.time);
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
  std::condition_variable has_changed_, has_ended_;
  std::deque<Job> jobs_;
  std::vector<const void*> owners_at_work_;
  bool is_ending_ = false;
  // The last member: threads end before the members that they use.
  std::vector<std::jthread> threads_;
};

// Returns the device of this name, which all kernels of this process share; one of its own without a name.
std::shared_ptr<Device> device_named(const std::string& name, std::size_t units) {
  if (name.empty()) return std::make_shared<Device>(units);
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Device>> devices;
  const std::lock_guard lock(mutex);
  std::shared_ptr<Device> device = devices[name].lock();
  if (!device) devices[name] = device = std::make_shared<Device>(units);
  return device;
}

class Square final : public AsynchronousKernel {
 public:
  explicit Square(const Parameters& parameters)
      : depth_(static_cast<std::size_t>(parameters.integer("depth"))),
        time_(parameters.time("time")),
        name_(parameters.text("device")),
        device_(device_named(name_, static_cast<std::size_t>(parameters.integer("units")))) {
    if (device_->units() != static_cast<std::size_t>(parameters.integer("units")))
      parameters.refuse("units", fmt::format("the device has {} for another task", device_->units()));
  }
  ~Square() override { device_->leave(this); }
  Square(const Square&) = delete;
  Square& operator=(const Square&) = delete;

  FrameType configure(std::span<const FrameType> inputs) override {
    if (inputs.front().element != ElementType::float32)
      throw InputError(fmt::format("expected float32..., got {}", inputs.front().to_string()));
    return inputs.front();
  }

  [[nodiscard]] std::size_t depth() const override { return depth_; }

  // Plans add up the times of all tasks on the device.
  [[nodiscard]] std::optional<KernelDevice> device() const override {
    if (name_.empty()) return std::nullopt;
    return KernelDevice{.name = name_, .units = device_->units()};
  }

  // Hands the frame over, and returns at once.
  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    device_->add({inputs.front().as<float>(), output.as<float>(), time_, &completion, this});
  }

 private:
  std::size_t depth_;
  std::chrono::nanoseconds time_;
  std::string name_;
  std::shared_ptr<Device> device_;
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
                                .help = "time of the device for a frame"},
                               {.name = "device",
                                .fallback = "",
                                .help = "name of a device that tasks of one rank share; empty: one of "
                                        "its own"}},
                .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
                  return std::make_unique<Square>(parameters);
                }});
}
