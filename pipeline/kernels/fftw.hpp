#pragma once
/// Owners of FFTW's plans and memory.

#include <memory>
#include <mutex>
#include <type_traits>

#include <fftw3.h>

namespace takt::pipeline {

/// FFTW's planner is global and not thread-safe.
inline std::mutex fftw_planner_mutex;

struct FftwPlanDeleter {
  void operator()(fftwf_plan plan) const {
    const std::scoped_lock lock(fftw_planner_mutex);
    fftwf_destroy_plan(plan);
  }
};
using FftwPlan = std::unique_ptr<std::remove_pointer_t<fftwf_plan>, FftwPlanDeleter>;

struct FftwDeleter {
  void operator()(void* memory) const { fftwf_free(memory); }
};
using FftwComplex = std::unique_ptr<fftwf_complex[], FftwDeleter>;
using FftwReal = std::unique_ptr<float[], FftwDeleter>;

}  // namespace takt::pipeline
