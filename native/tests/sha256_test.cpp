// The tests of the hashes, without Python, to be run under sanitizers (native/tests/sanitize.sh).
#include "../sha256.hpp"

#include <cstdio>
#include <string>
#include <vector>

#include "check.hpp"

int main() {
#if defined(ANAPHOR_SHA256_LANES)
  using namespace anaphor;
  if (!__builtin_cpu_supports("avx2")) return 0;
  const std::string text(100000, 'x');
  const std::vector<int16_t> numbers(3001, -7);
  const std::vector<int32_t> wide(numbers.begin(), numbers.end());
  for (const HashBlocks hash : {static_cast<HashBlocks>(avx2_blocks), best_blocks()}) {
    // Twenty messages of all lengths around a block, together and alone.
    std::vector<Message> together;
    const auto message = [&](size_t k) {
      return Message({{text.data(), 50 + k, false}, {numbers.data(), 151 * k, true}, {text.data(), 5000 * k, false}});
    };
    for (size_t k = 0; k < 20; ++k) together.push_back(message(k));
    const std::vector<Sha256> found = hash_messages(together, hash);
    for (size_t k = 0; k < 20; ++k) {
      std::vector<Message> alone{message(k)};
      check(hash_messages(alone, hash)[0] == found[k], "a message has one hash in any company");
    }
    std::vector<Message> both{Message({{numbers.data(), numbers.size(), true}}),
                              Message({{wide.data(), 4 * wide.size(), false}}), Message({})};
    const std::vector<Sha256> two = hash_messages(both, hash);
    check(two[0] == two[1], "numbers of two bytes are hashed as numbers of four");
    check(two[2][0] == 0xe3b0c442 && two[2][7] == 0x7852b855, "the hash of nothing (FIPS 180-4)");
  }
#endif
  std::puts("all held");
  return 0;
}
