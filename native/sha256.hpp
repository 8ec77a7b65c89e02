// SHA-256 (FIPS 180-4) of several messages at once, each in a lane of its own.
//
// anaphor/core/experiment.py (digest) is the reference. One message after the other is faster where the processor has
// instructions for it; without them, eight lanes take as long as two or three messages.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define ANAPHOR_SHA256_LANES
#include <cpuid.h>
#endif

namespace anaphor {

using Sha256 = std::array<uint32_t, 8>;

// A stretch of a message: bytes, or numbers of two bytes that are hashed as numbers of four.
struct MessagePart {
  const void* data;
  size_t count;
  bool widened;
};

// The blocks of a message, the parts of which are closed by their lengths in bytes.
class Message {
 public:
  static constexpr size_t kBlock = 64;

  explicit Message(std::vector<MessagePart> parts) : parts_(std::move(parts)) {}

  // Makes at least one block ready, unless the message has ended.
  void fill() {
    for (; have_ < kChunk && part_ < parts_.size();) {
      const MessagePart& part = parts_[part_];
      const size_t room = kChunk - have_, left = part.count - at_;
      size_t taken = std::min(left, part.widened ? (room + 3) / 4 : room);
      if (part.widened) {
        const auto* numbers = static_cast<const int16_t*>(part.data) + at_;
        for (size_t k = 0; k < taken; ++k) {
          const int32_t wide = numbers[k];
          std::memcpy(buffer_.data() + have_ + 4 * k, &wide, 4);
        }
      } else if (taken > 0) {
        std::memcpy(buffer_.data() + have_, static_cast<const uint8_t*>(part.data) + at_, taken);
      }
      at_ += taken;
      have_ += part.widened ? 4 * taken : taken;
      if (at_ < part.count) continue;
      const uint64_t bytes = part.widened ? 4 * part.count : part.count;
      append(bytes);
      size_ += bytes + 8;
      at_ = 0;
      ++part_;
    }
    if (part_ < parts_.size() || padded_) return;
    padded_ = true;
    buffer_[have_++] = 0x80;
    while (have_ % kBlock != kBlock - 8) buffer_[have_++] = 0;
    append(8 * size_);
  }

  const uint8_t* data() const { return buffer_.data(); }
  size_t blocks() const { return have_ / kBlock; }

  void drop(size_t blocks) {
    have_ -= blocks * kBlock;
    std::memmove(buffer_.data(), buffer_.data() + blocks * kBlock, have_);
  }

 private:
  static constexpr size_t kChunk = 64 * kBlock;

  void append(uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) buffer_[have_++] = static_cast<uint8_t>(number >> shift);
  }

  std::vector<MessagePart> parts_;
  std::array<uint8_t, kChunk + 2 * kBlock> buffer_{};  // a number, a length and the padding may go beyond the chunk
  size_t part_ = 0, at_ = 0, have_ = 0;
  uint64_t size_ = 0;
  bool padded_ = false;
};

#if defined(ANAPHOR_SHA256_LANES)
constexpr size_t kHashLanes = 8;

// Words of all lanes.
typedef uint32_t LaneWords __attribute__((vector_size(4 * kHashLanes)));
using LaneState = std::array<std::array<uint32_t, kHashLanes>, 8>;
using LaneData = std::array<const uint8_t*, kHashLanes>;

constexpr std::array<uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Hashes the next blocks of every lane into its state.
__attribute__((always_inline)) inline void hash_blocks(LaneState& state, const LaneData& data, size_t blocks) {
  LaneWords sums[8], words[16];
  std::memcpy(sums, state.data(), sizeof sums);
  for (size_t block = 0; block < blocks; ++block) {
    for (size_t t = 0; t < 16; ++t) {
      for (size_t lane = 0; lane < kHashLanes; ++lane) {
        uint32_t word = 0;
        std::memcpy(&word, data[lane] + block * Message::kBlock + 4 * t, 4);
        words[t][lane] = __builtin_bswap32(word);
      }
    }
    LaneWords a = sums[0], b = sums[1], c = sums[2], d = sums[3], e = sums[4], f = sums[5], g = sums[6], h = sums[7];
#pragma GCC unroll 64
    for (size_t t = 0; t < 64; ++t) {
      LaneWords& word = words[t % 16];
      if (t >= 16) {
        const LaneWords x = words[(t + 1) % 16], y = words[(t + 14) % 16];
        word += ((x >> 7 | x << 25) ^ (x >> 18 | x << 14) ^ x >> 3) + words[(t + 9) % 16] +
                ((y >> 17 | y << 15) ^ (y >> 19 | y << 13) ^ y >> 10);
      }
      const LaneWords one = h + ((e >> 6 | e << 26) ^ (e >> 11 | e << 21) ^ (e >> 25 | e << 7)) +
                            ((e & f) ^ (~e & g)) + kRounds[t] + word;
      const LaneWords two = ((a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10)) +
                            ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    sums[0] += a, sums[1] += b, sums[2] += c, sums[3] += d, sums[4] += e, sums[5] += f, sums[6] += g, sums[7] += h;
  }
  std::memcpy(state.data(), sums, sizeof sums);
}

using HashBlocks = void (*)(LaneState& state, const LaneData& data, size_t blocks);

__attribute__((target("avx2"))) inline void avx2_blocks(LaneState& state, const LaneData& data, size_t blocks) {
  hash_blocks(state, data, blocks);
}

__attribute__((target("avx512f,avx512vl,avx512bw"))) inline void avx512_blocks(LaneState& state, const LaneData& data,
                                                                             size_t blocks) {
  hash_blocks(state, data, blocks);
}
#endif

// Whether several messages take less time together than one after the other.
inline bool hashes_together() {
#if defined(ANAPHOR_SHA256_LANES)
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool has_sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;
  return __builtin_cpu_supports("avx2") && !has_sha;
#else
  return false;
#endif
}

#if defined(ANAPHOR_SHA256_LANES)
// The hash of every message; the processor must have AVX2.
inline std::vector<Sha256> hash_messages(std::vector<Message>& messages, HashBlocks hash) {
  std::vector<Sha256> found(messages.size());
  for (size_t first = 0; first < messages.size(); first += kHashLanes) {
    const size_t lanes = std::min(kHashLanes, messages.size() - first);
    LaneState state;
    constexpr Sha256 kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (size_t k = 0; k < state.size(); ++k) state[k].fill(kStart[k]);
    while (true) {
      LaneData data{};
      size_t blocks = SIZE_MAX;
      for (size_t lane = 0; lane < lanes; ++lane) {
        Message& message = messages[first + lane];
        message.fill();
        if (message.blocks() == 0) continue;
        blocks = std::min(blocks, message.blocks());
        // Lanes without a message hash what another one has; nobody asks for their state.
        for (const uint8_t*& at : data) at = at == nullptr || &at == &data[lane] ? message.data() : at;
      }
      if (blocks == SIZE_MAX) break;
      hash(state, data, blocks);
      for (size_t lane = 0; lane < lanes; ++lane) {
        Message& message = messages[first + lane];
        if (message.blocks() == 0) continue;
        message.drop(blocks);
        for (size_t k = 0; k < state.size(); ++k) found[first + lane][k] = state[k][lane];
      }
    }
  }
  return found;
}

inline HashBlocks best_blocks() {
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") ? avx512_blocks : avx2_blocks;
}
#endif

}  // namespace anaphor
