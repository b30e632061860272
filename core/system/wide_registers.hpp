#pragma once
/// Loops that are compiled twice: for any x86-64 processor (SSE2), and for those with registers of 256 bits
/// (AVX2); the program takes the one that suits the processor when it starts.
///
/// `TAKT_WIDE` stands before a function that holds such a loop, and calls nothing that is not inlined into
/// it. Both give the same bits: AVX2 alone has no products that are added without being rounded (FMA), and
/// sums are never reordered. Sanitizers start after the choice is made, and cannot watch it; there, and where
/// the compiler knows no other processor, it is nothing; nor with TAKT_PLAIN_LOOPS, for comparisons.

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(TAKT_PLAIN_LOOPS)
#define TAKT_WIDE [[gnu::target_clones("avx2", "default")]]
#else
#define TAKT_WIDE
#endif
