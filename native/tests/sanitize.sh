#!/bin/sh
# Builds the core's own tests with AddressSanitizer and UndefinedBehaviorSanitizer, then ThreadSanitizer, and runs them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for kind in address,undefined thread; do
  "${CXX:-c++}" -std=c++17 -O1 -g -Wall -Wextra -Wconversion -fsanitize="$kind" -fno-sanitize-recover=all \
    "$here/core_test.cpp" -o "$build/core_test" -pthread
  echo "$kind:"
  "$build/core_test"
done
