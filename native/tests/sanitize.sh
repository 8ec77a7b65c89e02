#!/bin/sh
# Builds the native tests with AddressSanitizer and UndefinedBehaviorSanitizer, then ThreadSanitizer, and runs them.
# Where PYTHON can run the fuzzers (it has the package's dependencies and nanobind), the extension is built with the
# first two as well, and damaged files of every kind that reaches it are read through Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
for kind in address,undefined thread; do
  for name in align_test network_test lines_test feature_names_test analyser_test resample_test scan_test search_test; do
    "${CXX:-c++}" -std=c++17 -O1 -g -Wall -Wextra -Wconversion -fsanitize="$kind" -fno-sanitize-recover=all \
      "$here/$name.cpp" -o "$build/$name" -pthread
    echo "$kind, $name:"
    "$build/$name"
  done
done
if [ -n "${PYTHON:-}" ]; then
  root=$(dirname "$(dirname "$here")")
  flags="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  cmake -S "$root" -B "$build/extension" -DPython_EXECUTABLE="$(command -v "$PYTHON")" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS="$flags" >"$build/log" || { cat "$build/log"; exit 1; }
  cmake --build "$build/extension" --parallel 2 >"$build/log" || { cat "$build/log"; exit 1; }
  # The package beside the extension that was built for this run.
  cp -r "$root/src" "$build/src"
  rm -f "$build"/src/anaphor/_native*.so
  cp "$build"/extension/_native*.so "$build/src/anaphor/"
  # Python itself is not built with the sanitizer, which therefore has to be there first; Python's own
  # allocator would hide ours, and what Python keeps until its end is no leak.
  cd "$root"
  LD_PRELOAD=$("${CXX:-c++}" -print-file-name=libasan.so) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
    PYTHONPATH="$build/src:$root" "$PYTHON" -m tests.fuzz --binary --mutations "${MUTATIONS:-2000}"
fi
