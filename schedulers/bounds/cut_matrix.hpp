#pragma once
/// The cost of cuts of a graph, as a matrix.

#include <cstddef>
#include <vector>

#include "schedulers/search/workload.hpp"

namespace takt::schedulers {

/// The tasks' work at speed 1, at least one tick, since the matrix divides by it; and the total excess over
/// the true work. With a table of times: their least times.
struct CutWorks {
  explicit CutWorks(const Workload& workload);

  std::vector<double> of;
  double sum = 0, added = 0;
};

/// Returns the speeds of the machine, highest first; all 1 where times do not follow from them.
[[nodiscard]] std::vector<double> falling_speeds(const Workload& workload);

/// The Laplacian matrix of a graph with edges of weight `per_byte` times their size, relative to the tasks'
/// work: D^-1/2 L D^-1/2.
///
/// Edges with a shared datum divide its cost: at either end of a cut, the cut edges cost no more than the
/// datum.
class CutMatrix {
 public:
  CutMatrix(const TaskGraph& graph, const CutWorks& works, double per_byte);

  [[nodiscard]] std::size_t size() const { return diagonal_.size(); }
  [[nodiscard]] const std::vector<double>& diagonal() const { return diagonal_; }
  /// Returns all elements, row by row, with `shift` on the diagonal.
  [[nodiscard]] std::vector<double> dense(const std::vector<double>& shift) const;
  /// Computes to = (matrix + diag(shift)) from.
  void multiply(const std::vector<double>& shift, const double* from, double* to) const;
  /// Returns an upper bound of the eigenvalues of the matrix with `shift` on its diagonal (Gershgorin).
  [[nodiscard]] double top(const std::vector<double>& shift) const;

 private:
  struct Element {
    std::size_t a, b;
    double value;
  };

  std::vector<double> diagonal_;
  /// Elements above the diagonal.
  std::vector<Element> elements_;
};

}  // namespace takt::schedulers
