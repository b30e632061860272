// A plug-in with an asynchronous kernel on a GPU, `cuda_power`: |x|^2 of complex samples.

#include <cstddef>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <fmt/format.h>
#include <takt/pipeline/kernel.hpp>

#include "power_kernel.hpp"

namespace {

using namespace takt::pipeline;

void expect_success(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(fmt::format("{}: {}", what, cudaGetErrorString(error)));
}

class Power final : public AsynchronousKernel {
 public:
  explicit Power(const Parameters& parameters)
      : places_(static_cast<std::size_t>(parameters.integer("depth"))) {}
  Power(const Power&) = delete;
  Power& operator=(const Power&) = delete;

  // Returns when the device uses no memory of a frame.
  ~Power() override {
    for (Place& place : places_) {
      if (place.stream != nullptr) {
        (void)cudaStreamSynchronize(place.stream);
        (void)cudaStreamDestroy(place.stream);
      }
      if (place.end != nullptr) (void)cudaEventDestroy(place.end);
      (void)cudaFree(place.samples);
      (void)cudaFree(place.power);
    }
    for (void* const memory : registered_) (void)cudaHostUnregister(memory);
  }

  FrameType configure(std::span<const FrameType> inputs) override {
    FrameType type = inputs.front();
    if (type.element != ElementType::complex_float32)
      throw InputError(fmt::format("expected complex_float32..., got {}", type.to_string()));
    count_ = type.element_count();
    type.element = ElementType::float32;
    for (Place& place : places_) {
      expect_success(cudaStreamCreateWithFlags(&place.stream, cudaStreamNonBlocking), "no stream");
      expect_success(cudaEventCreateWithFlags(&place.end, cudaEventDisableTiming), "no event");
      expect_success(cudaMalloc(&place.samples, count_ * sizeof(float2)), "no memory on the device");
      expect_success(cudaMalloc(&place.power, count_ * sizeof(float)), "no memory on the device");
    }
    return type;
  }

  [[nodiscard]] std::size_t depth() const override { return places_.size(); }

  // All tasks on the GPU share it.
  [[nodiscard]] std::optional<KernelDevice> device() const override {
    int number = 0;
    expect_success(cudaGetDevice(&number), "no device");
    return KernelDevice{.name = fmt::format("gpu{}", number)};
  }

  void start(std::span<const FrameView> inputs, const FrameBuffer& output, Completion& completion) override {
    // Frames are passed on in order, so the place of the frame before the last `depth` ones is free.
    Place& place = places_[next_];
    next_ = (next_ + 1) % places_.size();
    const FrameView& input = inputs.front();
    make_fast(const_cast<std::byte*>(input.bytes.data()), input.bytes.size());
    make_fast(output.bytes.data(), output.bytes.size());
    expect_success(cudaMemcpyAsync(place.samples, input.bytes.data(), count_ * sizeof(float2),
                                   cudaMemcpyHostToDevice, place.stream),
                   "cannot copy to the device");
    start_power(place.samples, place.power, count_, place.stream);
    expect_success(cudaGetLastError(), "cannot start on the device");
    expect_success(cudaMemcpyAsync(output.bytes.data(), place.power, count_ * sizeof(float),
                                   cudaMemcpyDeviceToHost, place.stream),
                   "cannot copy from the device");
    expect_success(cudaEventRecord(place.end, place.stream), "cannot record an event");
    place.completion = &completion;
  }

  // cudaLaunchHostFunc could complete frames from a thread of CUDA instead, but such a function may call
  // neither CUDA nor wait, and an error of the stream would never reach it.
  bool poll() override {
    for (Place& place : places_) {
      if (place.completion == nullptr) continue;
      const cudaError_t state = cudaEventQuery(place.end);
      if (state == cudaErrorNotReady) continue;
      Completion& completion = *std::exchange(place.completion, nullptr);
      if (state == cudaSuccess)
        completion.done();
      else
        completion.fail(std::make_exception_ptr(std::runtime_error(cudaGetErrorString(state))));
    }
    return true;
  }

 private:
  struct Place {
    cudaStream_t stream = nullptr;
    cudaEvent_t end = nullptr;
    float2* samples = nullptr;
    float* power = nullptr;
    Completion* completion = nullptr;
  };

  // Locks the memory of a frame, so that the device copies it by itself. The addresses of frames recur. What
  // cannot be locked is copied all the same.
  void make_fast(std::byte* memory, std::size_t bytes) {
    if (!seen_.insert(memory).second) return;
    if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) == cudaSuccess)
      registered_.push_back(memory);
    else
      (void)cudaGetLastError();
  }

  std::vector<Place> places_;
  std::size_t next_ = 0, count_ = 0;
  std::set<void*> seen_;
  std::vector<void*> registered_;
};

}  // namespace

extern "C" void takt_register_kernels(KernelRegistry& registry) {
  registry.add({.name = "cuda_power",
                .summary = "|x|^2 of complex samples, on a GPU",
                .stateless = true,
                .parameters = {{.name = "depth",
                                .type = ParameterType::integer,
                                .fallback = "3",
                                .help = "frames under way at once",
                                .minimum = 1,
                                .maximum = 64}},
                .make = [](const Parameters& parameters) -> std::unique_ptr<Kernel> {
                  return std::make_unique<Power>(parameters);
                }});
}
