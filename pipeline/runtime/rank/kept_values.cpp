#include "pipeline/runtime/rank/kept_values.hpp"

#include <algorithm>

#include <mpi.h>

#include "logp/mpi/blocking.hpp"

namespace takt::pipeline {

KeptValues::KeptValues(const Pipeline& pipeline, const std::optional<CacheSettings>& settings, bool is_fresh,
                       int rank)
    : pipeline_(pipeline.name), is_fresh_(is_fresh), rank_(rank) {
  if (!settings) return;
  if (rank == 0) {
    measurement_key_ = cache_key(pipeline, settings->of_measurements);
    plan_key_ = cache_key(pipeline, settings->of_plan);
  }
  measurement_key_ = mpi::broadcast(measurement_key_, MPI_COMM_WORLD);
  plan_key_ = mpi::broadcast(plan_key_, MPI_COMM_WORLD);
}

std::optional<std::string> KeptValues::find_text(Kept kind) {
  if (plan_key_.empty() || is_fresh_) return std::nullopt;
  // The letter before the text distinguishes an empty text from none.
  std::string found;
  if (rank_ == 0)
    if (const std::optional<std::string> text = RunCache().find(kind, key_of(kind))) found = '=' + *text;
  found = mpi::broadcast(found, MPI_COMM_WORLD);
  if (found.empty()) return std::nullopt;
  note(kind);
  return found.substr(1);
}

void KeptValues::keep(Kept kind, const std::string& text) {
  if (plan_key_.empty()) return;
  if (rank_ == 0) RunCache().keep(kind, key_of(kind), pipeline_, text);
  note(kind);
}

void KeptValues::note(Kept kind) {
  const std::string file = RunCache::file_name(kind, key_of(kind));
  if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
}

std::vector<std::string> KeptValues::files_with_plan() const {
  std::vector<std::string> files = files_;
  if (!plan_key_.empty()) files.push_back(RunCache::file_name(Kept::plan, plan_key_));
  return files;
}

}  // namespace takt::pipeline
