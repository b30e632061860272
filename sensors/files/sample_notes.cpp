#include "sensors/files/sample_notes.hpp"

#include <utility>

#include <fmt/format.h>

#include "core/units.hpp"

namespace takt::sensors {

std::string rounded_time_note(std::uint64_t rounded_ns, double sample_hz) {
  constexpr double negligible = 0.1;
  const double samples = static_cast<double>(rounded_ns) * 1e-9 * sample_hz;
  if (samples <= negligible) return {};
  return fmt::format("times are rounded to the grid of samples, by up to {:.2g} samples ({})", samples,
                     takt::to_string(Time(static_cast<std::int64_t>(rounded_ns))));
}

SampleNotes::SampleNotes(const std::vector<SamplePiece>& pieces) {
  // Keeps all warnings of the first header; those of similar files repeat them.
  all_ = pieces.front().layout.warnings;
  most_ += all_.size();
  for (std::size_t i = 1; i < pieces.size(); ++i)
    for (const std::string& warning : pieces[i].layout.warnings) add_locked(warning);
}

void SampleNotes::add(std::string text) {
  const std::lock_guard lock(mutex_);
  add_locked(std::move(text));
}

void SampleNotes::add_gap(const SamplePiece& piece, bool is_within, std::uint64_t at, std::uint64_t samples) {
  const std::lock_guard lock(mutex_);
  missing_ += samples;
  if (gaps_++ > 0) return;
  gap_at_ = all_.size();
  // Not bounded: the gaps have one warning.
  all_.push_back(fmt::format("{}: {} samples are missing {} it, from sample {} on", piece.file.string(),
                             samples, is_within ? "within" : "before", at));
}

void SampleNotes::finish(std::uint64_t rounded_ns, double sample_hz) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(is_finished_, true)) return;
  if (gaps_ > 1) all_[gap_at_] += fmt::format(": the first of {} gaps with {} samples", gaps_, missing_);
  if (std::string note = rounded_time_note(rounded_ns, sample_hz); !note.empty())
    all_.push_back(std::move(note));
}

std::vector<std::string> SampleNotes::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

void SampleNotes::add_locked(std::string text) {
  if (all_.size() < most_) all_.push_back(std::move(text));
}

}  // namespace takt::sensors
