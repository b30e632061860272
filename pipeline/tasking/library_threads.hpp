#pragma once
/// Libraries that would start threads of their own inside tasks use one.

namespace takt::tasking {

/// While it lives, OpenMP regions that the calling thread begins have one thread: in user code, in FFTW and
/// in BLAS where they use OpenMP. Without effect in programs without OpenMP. Libraries with other threads of
/// their own (OpenBLAS with pthreads, FFTW's fftw3_threads) are to be told once: OPENBLAS_NUM_THREADS=1,
/// fftw_plan_with_nthreads(1).
class OneLibraryThread {
 public:
  OneLibraryThread();
  OneLibraryThread(const OneLibraryThread&) = delete;
  OneLibraryThread& operator=(const OneLibraryThread&) = delete;
  ~OneLibraryThread();

 private:
  int before_ = 0;
};

}  // namespace takt::tasking
