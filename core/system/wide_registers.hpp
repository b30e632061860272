#pragma once
/// Loops compiled twice: for any x86-64 processor (SSE2), and for those with 256-bit registers (AVX2); the
/// program selects the suitable version when it starts.
///
/// `TAKT_WIDE` precedes a function with such a loop, which calls only inlined functions. Both versions
/// produce the same bits: AVX2 alone has no fused multiply-add (FMA), and sums are never reordered. With
/// sanitizers, which start after the selection, with compilers that support no other processor, and with
/// TAKT_PLAIN_LOOPS (for comparisons), the macro is empty.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(TAKT_PLAIN_LOOPS)
#define TAKT_WIDE [[gnu::target_clones("avx2", "default")]]
#else
#define TAKT_WIDE
#endif
