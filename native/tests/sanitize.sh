#!/bin/sh
# Builds the native tests with AddressSanitizer and UndefinedBehaviorSanitizer, then ThreadSanitizer, and runs them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for kind in address,undefined thread; do
  for name in align_test network_test lines_test feature_names_test analyser_test search_test; do
    "${CXX:-c++}" -std=c++17 -O1 -g -Wall -Wextra -Wconversion -fsanitize="$kind" -fno-sanitize-recover=all \
      "$here/$name.cpp" -o "$build/$name" -pthread
    echo "$kind, $name:"
    "$build/$name"
  done
done
