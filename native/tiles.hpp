// Products of some rows of bytes with a panel of columns, by the instructions that the machine has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Clang has had these instructions for single functions since version 16; before, only for a whole program.
#if defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__)) && \
    (!defined(__clang__) || __clang_major__ >= 16 || defined(__ARM_FEATURE_DOTPROD))
#define ANAPHOR_DOT_PRODUCT
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#define ANAPHOR_AVX2
#include <immintrin.h>
// Older compilers do not know these instructions, and no Mac has them.
#if !defined(__APPLE__) && (defined(__clang__) ? __clang_major__ >= 12 : __GNUC__ >= 11)
#define ANAPHOR_AVX_VNNI
#include <cpuid.h>
// Linux gives a process the registers for tiles if it asks.
#if defined(__linux__)
#define ANAPHOR_AMX
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif
#endif

namespace anaphor {

constexpr size_t kTile = 8;  // rows of a tile

// Where bytes can be multiplied and summed at once on x86, those of rows are above zero, and registers are wider.
#if defined(ANAPHOR_AVX2)
using RowByte = uint8_t;
constexpr size_t kPanel = 32;      // columns of a tile
constexpr size_t kDepthStep = 64;  // depths are a multiple of this
constexpr size_t kMostTile = 32;   // rows of the highest tile of all kernels
#else
using RowByte = int8_t;
constexpr size_t kPanel = 8;
constexpr size_t kDepthStep = 16;
constexpr size_t kMostTile = kTile;
#endif
constexpr int32_t kRowZero = std::is_signed_v<RowByte> ? 0 : 128;  // the byte of a row that stands for zero
constexpr size_t kPanelStep = 4 * kPanel;                          // bytes of a panel that four bytes of a row meet

// Rows of bytes, `stride` from one to the next, as many as the kernel takes.
struct TileRows {
  const RowByte* bytes;
  size_t stride;
  const float* scale;
};

// A panel of columns; `start` is what the sum of each begins with.
struct TileColumns {
  const int8_t* bytes;
  size_t depth;
  const int32_t* start;
  const float* scale;
};

// Writes the products of a tile, each sum times the scales of its row and its column. Sums are whole numbers, so
// that all kernels write the same.
using TileProduct = void (*)(const TileRows& rows, const TileColumns& columns, float* to, size_t stride);

// A product, how many rows it takes, and what a thread calls before the first and after the last.
struct Kernel {
  TileProduct product;
  size_t rows = kTile;
  void (*begin)() = [] {};
  void (*end)() = [] {};
};

// While it lives, its thread can call a kernel.
class KernelUse {
 public:
  explicit KernelUse(const Kernel& kernel) : end_(kernel.end) { kernel.begin(); }
  ~KernelUse() { end_(); }
  KernelUse(const KernelUse&) = delete;
  KernelUse& operator=(const KernelUse&) = delete;

 private:
  void (*end_)();
};

// For any machine, and what the others are tested against.
inline void plain_tile(const TileRows& rows, const TileColumns& columns, float* to, size_t stride) {
  for (size_t r = 0; r < kTile; ++r) {
    int32_t sums[kPanel];
    std::memcpy(sums, columns.start, sizeof sums);
    for (size_t k = 0; k < columns.depth; k += 4)
      for (size_t c = 0; c < kPanel; ++c)
        for (size_t j = 0; j < 4; ++j)
          sums[c] += rows.bytes[r * rows.stride + k + j] * columns.bytes[k * kPanel + c * 4 + j];
    for (size_t c = 0; c < kPanel; ++c)
      to[r * stride + c] = static_cast<float>(sums[c]) * (rows.scale[r] * columns.scale[c]);
  }
}

#if defined(ANAPHOR_DOT_PRODUCT)
#if defined(__clang__)
#define ANAPHOR_TARGET __attribute__((target("dotprod")))
#else
#define ANAPHOR_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

template <int kLane>
ANAPHOR_TARGET inline void dot_step(const int8x16_t (&rows)[kTile], const int8_t* panel, int32x4_t (&sums)[kTile][2]) {
  const int8x16_t left = vld1q_s8(panel + kPanelStep * kLane), right = vld1q_s8(panel + kPanelStep * kLane + 16);
  for (size_t r = 0; r < kTile; ++r) {
    sums[r][0] = vdotq_laneq_s32(sums[r][0], left, rows[r], kLane);
    sums[r][1] = vdotq_laneq_s32(sums[r][1], right, rows[r], kLane);
  }
}

// SDOT: four products and their sum in each of four lanes.
ANAPHOR_TARGET inline void dot_tile(const TileRows& rows, const TileColumns& columns, float* to, size_t stride) {
  int32x4_t sums[kTile][2];
#pragma GCC unroll 8
  for (size_t r = 0; r < kTile; ++r) sums[r][0] = vld1q_s32(columns.start), sums[r][1] = vld1q_s32(columns.start + 4);
  const int8_t* panel = columns.bytes;
  for (size_t k = 0; k < columns.depth; k += kDepthStep, panel += kDepthStep * kPanel) {
    int8x16_t taken[kTile];
    for (size_t r = 0; r < kTile; ++r) taken[r] = vld1q_s8(rows.bytes + r * rows.stride + k);
    dot_step<0>(taken, panel, sums);
    dot_step<1>(taken, panel, sums);
    dot_step<2>(taken, panel, sums);
    dot_step<3>(taken, panel, sums);
  }
  const float32x4_t left = vld1q_f32(columns.scale), right = vld1q_f32(columns.scale + 4);
#pragma GCC unroll 8
  for (size_t r = 0; r < kTile; ++r) {
    vst1q_f32(to + r * stride, vmulq_f32(vcvtq_f32_s32(sums[r][0]), vmulq_n_f32(left, rows.scale[r])));
    vst1q_f32(to + r * stride + 4, vmulq_f32(vcvtq_f32_s32(sums[r][1]), vmulq_n_f32(right, rows.scale[r])));
  }
}
#undef ANAPHOR_TARGET
#endif

#if defined(ANAPHOR_AVX2)
// Bytes are widened to 16 bits, since the products of bytes that AVX2 has saturate: those of rows once for all
// columns, for some depths. Four rows and eight columns at a time, as many as there are registers for.
__attribute__((target("avx2"))) inline void avx2_tile(const TileRows& rows, const TileColumns& columns, float* to,
                                                      size_t stride) {
  constexpr size_t most = 256;
  alignas(32) int16_t wide[kTile][most];
  alignas(32) int32_t sums[kTile][kPanel];
  for (auto& row : sums) std::memcpy(row, columns.start, sizeof row);
  for (size_t from = 0; from < columns.depth; from += most) {
    const size_t depth = columns.depth - from < most ? columns.depth - from : most;
    for (size_t r = 0; r < kTile; ++r)
      for (size_t k = 0; k < depth; k += 16) {
        const RowByte* bytes = rows.bytes + r * rows.stride + from + k;
        _mm256_store_si256(reinterpret_cast<__m256i*>(&wide[r][k]),
                           _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes))));
      }
    for (size_t column = 0; column < kPanel; column += 8)
      for (size_t first = 0; first < kTile; first += 4) {
        __m256i parts[4][2];
        for (auto& row : parts) row[0] = row[1] = _mm256_setzero_si256();
        const int8_t* panel = columns.bytes + from * kPanel + column * 4;
        for (size_t k = 0; k < depth; k += 4) {
          const auto* bytes = reinterpret_cast<const __m128i*>(panel + k * kPanel);
          const __m256i left = _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes));
          const __m256i right = _mm256_cvtepi8_epi16(_mm_loadu_si128(bytes + 1));
          for (size_t r = 0; r < 4; ++r) {
            int64_t four;
            std::memcpy(&four, &wide[first + r][k], sizeof four);
            const __m256i row = _mm256_set1_epi64x(four);
            parts[r][0] = _mm256_add_epi32(parts[r][0], _mm256_madd_epi16(left, row));
            parts[r][1] = _mm256_add_epi32(parts[r][1], _mm256_madd_epi16(right, row));
          }
        }
        for (size_t r = 0; r < 4; ++r) {
          // Neighbours belong to one column; adding them leaves the columns as 0 1 4 5 2 3 6 7.
          const __m256i mixed = _mm256_hadd_epi32(parts[r][0], parts[r][1]);
          auto* sum = reinterpret_cast<__m256i*>(&sums[first + r][column]);
          const __m256i ordered = _mm256_permute4x64_epi64(mixed, 0xD8);
          _mm256_store_si256(sum, _mm256_add_epi32(_mm256_load_si256(sum), ordered));
        }
      }
  }
  for (size_t r = 0; r < kTile; ++r)
    for (size_t column = 0; column < kPanel; column += 8) {
      const __m256 scale = _mm256_mul_ps(_mm256_loadu_ps(columns.scale + column), _mm256_set1_ps(rows.scale[r]));
      const __m256i sum = _mm256_load_si256(reinterpret_cast<const __m256i*>(&sums[r][column]));
      _mm256_storeu_ps(to + r * stride + column, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale));
    }
}

#if defined(ANAPHOR_AVX_VNNI)
// VPDPBUSD without AVX-512: four products and their sum in each of eight lanes. Four rows and sixteen columns at once.
__attribute__((target("avx2,avxvnni"))) inline void avx_vnni_tile(const TileRows& rows, const TileColumns& columns,
                                                                  float* to, size_t stride) {
  for (size_t column = 0; column < kPanel; column += 16)
    for (size_t first = 0; first < kTile; first += 4) {
      const auto* start = reinterpret_cast<const __m256i*>(columns.start + column);
      __m256i sums[4][2];
      for (auto& row : sums) row[0] = _mm256_loadu_si256(start), row[1] = _mm256_loadu_si256(start + 1);
      for (size_t k = 0; k < columns.depth; k += 4) {
        const auto* bytes = reinterpret_cast<const __m256i*>(columns.bytes + k * kPanel + column * 4);
        const __m256i left = _mm256_loadu_si256(bytes), right = _mm256_loadu_si256(bytes + 1);
        for (size_t r = 0; r < 4; ++r) {
          int32_t four;
          std::memcpy(&four, rows.bytes + (first + r) * rows.stride + k, sizeof four);
          const __m256i row = _mm256_set1_epi32(four);
          sums[r][0] = _mm256_dpbusd_avx_epi32(sums[r][0], row, left);
          sums[r][1] = _mm256_dpbusd_avx_epi32(sums[r][1], row, right);
        }
      }
      for (size_t r = 0; r < 4; ++r)
        for (size_t half = 0; half < 2; ++half) {
          const __m256 own = _mm256_loadu_ps(columns.scale + column + 8 * half);
          const __m256 scale = _mm256_mul_ps(own, _mm256_set1_ps(rows.scale[first + r]));
          _mm256_storeu_ps(to + (first + r) * stride + column + 8 * half,
                           _mm256_mul_ps(_mm256_cvtepi32_ps(sums[r][half]), scale));
        }
    }
}
#endif

// VPDPBUSD: four products and their sum in each of sixteen lanes.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni"))) inline void vnni_tile(const TileRows& rows,
                                                                                      const TileColumns& columns,
                                                                                      float* to, size_t stride) {
  // Sixteen sums, two for each row: with eight, products would wait for those before them.
  __m512i left[kTile], right[kTile];
#pragma GCC unroll 8
  for (size_t r = 0; r < kTile; ++r)
    left[r] = _mm512_loadu_si512(columns.start), right[r] = _mm512_loadu_si512(columns.start + 16);
#pragma GCC unroll 4
  for (size_t k = 0; k < columns.depth; k += 4) {
    const __m512i first = _mm512_loadu_si512(columns.bytes + k * kPanel);
    const __m512i second = _mm512_loadu_si512(columns.bytes + k * kPanel + 64);
#pragma GCC unroll 8
    for (size_t r = 0; r < kTile; ++r) {
      int32_t four;
      std::memcpy(&four, rows.bytes + r * rows.stride + k, sizeof four);
      const __m512i row = _mm512_set1_epi32(four);
      left[r] = _mm512_dpbusd_epi32(left[r], row, first);
      right[r] = _mm512_dpbusd_epi32(right[r], row, second);
    }
  }
  const __m512 first = _mm512_loadu_ps(columns.scale), second = _mm512_loadu_ps(columns.scale + 16);
#pragma GCC unroll 8
  for (size_t r = 0; r < kTile; ++r) {
    const __m512 scale = _mm512_set1_ps(rows.scale[r]);
    float* at = to + r * stride;
    _mm512_storeu_ps(at, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, left[r]), _mm512_mul_ps(first, scale)));
    _mm512_storeu_ps(at + 16, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, right[r]), _mm512_mul_ps(second, scale)));
  }
}
#endif

#if defined(ANAPHOR_AMX)
#define ANAPHOR_TARGET __attribute__((target("amx-tile,amx-int8,avx512f")))

// All eight registers have sixteen rows of 64 bytes.
ANAPHOR_TARGET inline void begin_amx() {
  struct Tiles {
    uint8_t palette, start, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
  };
  static_assert(sizeof(Tiles) == 64, "as the processor reads it");
  // In memory for good: GCC does not know that all of it is read.
  static const Tiles tiles{1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
  _tile_loadconfig(&tiles);
}

// Registers that nobody uses need not be kept when threads take turns.
ANAPHOR_TARGET inline void end_amx() { _tile_release(); }

// TDPBUSD: sixteen rows of 64 bytes times sixteen columns. Four products at a time, since each waits for its own sums.
ANAPHOR_TARGET inline void amx_tile(const TileRows& rows, const TileColumns& columns, float* to, size_t stride) {
  constexpr size_t half = 16;
  alignas(64) int32_t sums[2 * half][kPanel];
  const auto row_bytes = static_cast<int64_t>(rows.stride);
  const RowByte* lower = rows.bytes + half * rows.stride;
  // GCC does not know that these instructions read memory: it has to be written before them.
  __asm__ volatile("" ::: "memory");
  // From zero: a register that loads `start`, which has just been written, would wait for it.
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (size_t k = 0; k < columns.depth; k += kDepthStep) {
    const int8_t* panel = columns.bytes + k * kPanel;
    _tile_loadd(4, rows.bytes + k, row_bytes);
    _tile_loadd(6, panel, kPanelStep);
    _tile_loadd(7, panel + 4 * half, kPanelStep);
    _tile_loadd(5, lower + k, row_bytes);
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  _tile_stored(0, &sums[0][0], sizeof sums[0]);
  _tile_stored(1, &sums[0][half], sizeof sums[0]);
  _tile_stored(2, &sums[half][0], sizeof sums[0]);
  _tile_stored(3, &sums[half][half], sizeof sums[0]);
  const __m512 left = _mm512_loadu_ps(columns.scale), right = _mm512_loadu_ps(columns.scale + half);
  const __m512i start_left = _mm512_loadu_si512(columns.start), start_right = _mm512_loadu_si512(columns.start + half);
  for (size_t r = 0; r < 2 * half; ++r) {
    const __m512 scale = _mm512_set1_ps(rows.scale[r]);
    const __m512i first = _mm512_add_epi32(start_left, _mm512_load_si512(&sums[r][0]));
    const __m512i second = _mm512_add_epi32(start_right, _mm512_load_si512(&sums[r][half]));
    float* at = to + r * stride;
    _mm512_storeu_ps(at, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, first), _mm512_mul_ps(left, scale)));
    _mm512_storeu_ps(at + half, _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, second), _mm512_mul_ps(right, scale)));
  }
}
#undef ANAPHOR_TARGET
#endif

inline bool has_vnni() {
#if defined(ANAPHOR_AVX2)
  return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
  return false;
#endif
}

#if defined(ANAPHOR_AVX_VNNI)
inline bool has_avx_vnni() {
  constexpr unsigned avx_vnni_bit = 1U << 4U;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx2") && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & avx_vnni_bit) != 0;
}
#endif

#if defined(ANAPHOR_AMX)
// Whether the processor has products of tiles and Linux gives their registers to this process, which it asks once.
inline bool has_amx() {
  static const bool has = [] {
    constexpr long request_permission = 0x1023, tile_data = 18;  // of asm/prctl.h, which may be older
    constexpr unsigned amx_tile_bit = 1U << 24U, amx_int8_bit = 1U << 25U, both = amx_tile_bit | amx_int8_bit;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!has_vnni() || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & both) != both) return false;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
  }();
  return has;
}
#endif

// The fastest of the kernels that this machine can run.
inline Kernel best_kernel() {
#if defined(ANAPHOR_DOT_PRODUCT) && defined(__APPLE__)
  return {dot_tile};
#elif defined(ANAPHOR_DOT_PRODUCT)
  if ((getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0) return {dot_tile};
#elif defined(ANAPHOR_AVX2)
#if defined(ANAPHOR_AMX)
  if (has_amx()) return {amx_tile, kMostTile, begin_amx, end_amx};
#endif
  if (has_vnni()) return {vnni_tile};
#if defined(ANAPHOR_AVX_VNNI)
  if (has_avx_vnni()) return {avx_vnni_tile};
#endif
  if (__builtin_cpu_supports("avx2")) return {avx2_tile};
#endif
  return {plain_tile};
}

}  // namespace anaphor
