#pragma once
/// Repeats the study of MCGAS (Dutot, N'Takpe, Suter, Casanova 2009): its graphs, its schedulers, and the
/// results of the experiments.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/moldable/ptask_simulator.hpp"
#include "schedulers/moldable/mcgas.hpp"

namespace takt::bench {

/// A graph of the study or of an application.
struct StudyGraph {
  std::size_t tasks = 0;
  double width = 0;
  std::string text;
};

/// Returns the 1,296 graphs, or fewer samples of each of the 432 kinds.
[[nodiscard]] std::vector<StudyGraph> synthetic_graphs(std::size_t samples);
/// Return ten graphs each of Strassen's multiplication and of the FFT; the tasks of a layer are equal.
[[nodiscard]] std::vector<StudyGraph> strassen_graphs();
[[nodiscard]] std::vector<StudyGraph> fft_graphs();

/// A scheduler and its options; mu is 0 unless it is MCGAS.
struct Contender {
  std::string_view name;
  std::string_view scheduler;
  schedulers::GroupMapping mapping = schedulers::GroupMapping::eft;
  double mu = 0;
  schedulers::LeftWork left_work = schedulers::LeftWork::stays;
};
enum ContenderIndex : std::size_t {
  hcpa_eft,
  text_eft,
  turned_ff,
  turned_eft,
  turned_large_eft,
  turned_large_ahead,
  takt_eft,
  takt_ahead,
  hcpa_ahead,
  m_heft_,
  cpa_eft,
  mcpa_eft
};
/// The thresholds in the paper's text are 0.66 and 0.81; its figures have 1 - mu, 0.34 and 0.19.
inline constexpr std::array contenders{
    Contender{"HCPA, EFT", "hcpa"},
    Contender{"MCGAS 0.66, EFT", "mcgas", schedulers::GroupMapping::eft, 0.66},
    Contender{"MCGAS 0.34, FF", "mcgas", schedulers::GroupMapping::ff, 0.34},
    Contender{"MCGAS 0.34, EFT", "mcgas", schedulers::GroupMapping::eft, 0.34},
    Contender{"MCGAS 0.19, EFT", "mcgas", schedulers::GroupMapping::eft, 0.19},
    Contender{"MCGAS 0.19, look-ahead", "mcgas", schedulers::GroupMapping::look_ahead, 0.19},
    Contender{"mcgas 0.66, EFT", "mcgas", schedulers::GroupMapping::eft, 0.66, schedulers::LeftWork::is_used},
    Contender{"mcgas 0.66, look-ahead", "mcgas", schedulers::GroupMapping::look_ahead, 0.66,
              schedulers::LeftWork::is_used},
    Contender{"HCPA, look-ahead", "hcpa", schedulers::GroupMapping::look_ahead},
    Contender{"M-HEFT", "m_heft"},
    Contender{"CPA, EFT", "cpa"},
    Contender{"MCPA, EFT", "mcpa"},
};
/// Largest number of processors of a task, for all MCGAS runs.
inline constexpr std::size_t bound = 87;

struct StudyResult {
  /// Seconds by contender: as planned, and as simulated with SimGrid's parallel tasks.
  std::array<double, contenders.size()> planned{}, simulated{};
  /// Figures of an allotment: critical path, work, and the larger of the two lower bounds that follow.
  struct OfAllotment {
    double path = 0, work = 0, bound = 0;
  };
  OfAllotment hcpa, text, turned, takt;
};

/// Studies one graph with all contenders. Throws WorkError when a schedule is not valid.
[[nodiscard]] StudyResult study(const StudyGraph& graph, const logp::Machine& machine,
                                PtaskSimulator& simulator);

/// Returns the mean planned makespan of MCGAS with EFT in seconds, by mu, then by b.
[[nodiscard]] std::vector<std::vector<double>> sweep(const std::vector<StudyGraph>& graphs,
                                                     const logp::Machine& machine,
                                                     const std::vector<double>& mus,
                                                     const std::vector<std::size_t>& bounds);

/// Returns the processor time of this program so far, in seconds.
[[nodiscard]] double processor_seconds();

}  // namespace takt::bench
