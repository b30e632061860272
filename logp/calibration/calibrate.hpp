#pragma once
/// Measures the machine that a communicator's ranks run on.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "core/units.hpp"
#include "logp/calibration/endpoint.hpp"
#include "logp/calibration/hold_out.hpp"
#include "logp/calibration/link_fit.hpp"
#include "logp/calibration/topology.hpp"
#include "logp/machine.hpp"

namespace takt::logp {

struct CalibrationProgress {
  /// What is done now: `node (L3): measuring`.
  std::string phase;
  /// Of the whole, as far as it is known.
  double share = 0;
};

struct CalibrationOptions {
  /// Messages from 1 byte to this size.
  Bytes largest{16 << 20};
  /// How long to measure and to try; up to three times as long where costs or trials are in doubt.
  Time duration{std::chrono::seconds{30}};
  /// A trial fails when the prediction is off by more than this, relative to the measurement.
  double tolerance = 0.25;
  Data data = Data::fresh;
  /// Bind each rank to a core of its own where it may choose.
  bool bind = true;
  /// Measure with real-time priority where the system grants it, half of the time at most, and only where
  /// messages stay in shared memory.
  bool real_time = true;
  std::uint64_t seed = 1;
  std::function<void(const CalibrationProgress&)> on_progress;
};

/// One kind of link, measured, fitted and tried.
struct LinkCalibration {
  LinkKind kind;
  LinkObservations observations;
  LinkFit fit;
  std::vector<Trial> trials;
};

/// Facts about MPI that the costs depend on.
struct MpiFacts {
  /// `Open MPI v4.1.4, MPI 3.1`.
  std::string version;
  /// `single`, `funneled`, `serialized` or `multiple`.
  std::string thread_level;
  /// How a rank waits: `spins`, `yields`, or `unknown`.
  std::string progress;
  /// Settings from the environment, such as `OMPI_MCA_btl=tcp,self`, sorted.
  std::vector<std::string> settings;
};

struct Calibration {
  std::chrono::system_clock::time_point date;
  std::vector<RankLocation> ranks;
  Platform platform;
  MpiFacts mpi;
  Data data = Data::fresh;
  /// Whether the ranks had real-time priority while they measured.
  bool real_time = false;
  double tolerance = 0;
  Time duration{0};
  std::vector<LinkCalibration> links;

  /// Whether something of every link could be measured; without, messages would seem to be free.
  [[nodiscard]] bool has_costs() const;
  /// Why it must not be used, a sentence each.
  [[nodiscard]] std::vector<std::string> objections() const;
  /// The costs of each level: those of the slowest kind of link of the level.
  [[nodiscard]] std::array<LinkCosts, level_count> costs(ProfileFit LinkFit::*profile) const;
  /// The costs of pairs of ranks on hosts whose links are not as their level's.
  [[nodiscard]] std::vector<PairCosts> pair_costs(ProfileFit LinkFit::*profile) const;
};

/// Collective. The result is rank 0's, nothing comes to the others. Throws ConfigError, on all ranks, when
/// there is only one rank.
[[nodiscard]] std::optional<Calibration> calibrate(MPI_Comm communicator, const CalibrationOptions& options);

}  // namespace takt::logp
