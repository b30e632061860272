#include "tests/pipeline/kernels/kernel_bench.hpp"

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "pipeline/calls/frames_in_flight.hpp"

namespace takt::pipeline::test {

FrameMemory::FrameMemory(const FrameType& type)
    : size_(type.size().count),
      bytes_(static_cast<std::byte*>(std::aligned_alloc(64, (size_ + 63) / 64 * 64))) {
  std::memset(bytes_.get(), 0, size_);
}

void FrameMemory::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

Parameters make_parameters(const std::vector<ParameterSpec>& specification, const Written& written) {
  std::map<std::string, Parameters::Value> values;
  for (const auto& [name, text] : written) {
    Parameters::Value& value = values[name];
    value = {{text}, false, {"test", 1, 2}, {"test", 1, 1}};
    if (!text.starts_with('[')) continue;
    value.is_list = true;
    value.texts.clear();
    std::istringstream entries(text.substr(1, text.size() - 2));
    for (std::string entry; std::getline(entries >> std::ws, entry, ',');) value.texts.push_back(entry);
  }
  ErrorList errors;
  Parameters parameters(specification, values, {"test", 1, 1}, errors, "task 'x'");
  errors.throw_if_any();
  return parameters;
}

namespace {

const KernelKind* find_built_in(const std::string& name) {
  static const KernelRegistry registry = KernelRegistry::with_built_in_kernels();
  const KernelKind* const kind = registry.find(name);
  if (kind == nullptr) throw std::logic_error("no kernel " + name);
  return kind;
}

}  // namespace

KernelBench::KernelBench(const std::string& name, const Written& written, std::vector<FrameType> inputs)
    : kind_(find_built_in(name)), written_(written), types_(std::move(inputs)), kernel_(make(output_type_)) {
  for (const FrameType& input : types_) inputs_.emplace_back(input);
  output_.emplace(output_type_);
}

std::unique_ptr<Kernel> KernelBench::make(FrameType& output) const {
  std::unique_ptr<Kernel> kernel = kind_->make(make_parameters(kind_->parameters, written_));
  output = kernel->configure(types_);
  auto* const asynchronous = dynamic_cast<AsynchronousKernel*>(kernel.get());
  if (asynchronous == nullptr) return kernel;
  (void)kernel.release();
  return std::make_unique<FramesInFlight>(std::unique_ptr<AsynchronousKernel>(asynchronous), types_, output,
                                          kind_->stateless, FramesInFlight::Maker{});
}

void KernelBench::transfer_state() {
  if (kind_->stateless || kernel_->is_stateless()) return;
  const std::optional<std::vector<std::byte>> state = kernel_->save();
  if (!state) throw std::logic_error(kind_->name + " cannot hand over what it keeps");
  FrameType output;
  kernel_ = make(output);
  kernel_->load(*state);
}

Outcome KernelBench::process() {
  std::vector<FrameView> views;
  for (const FrameMemory& input : inputs_) views.push_back(input.view());
  output_->header() = inputs_.front().header();
  return kernel_->process(views, output_->buffer());
}

FrameType frame_type(ElementType element, std::initializer_list<std::pair<std::string, std::size_t>> axes) {
  FrameType type;
  type.element = element;
  for (const auto& [name, size] : axes) type.axes.push_back({name, size, {}});
  return type;
}

FrameType spectra(std::size_t times, std::size_t channels) {
  return frame_type(ElementType::float32, {{"time", times}, {"channel", channels}});
}

}  // namespace takt::pipeline::test
