#!/bin/sh
# Looks for errors of memory, undefined behaviour and races. `sanitize.sh [native] [python]` runs one half or both:
#   native  the core's own tests with AddressSanitizer and UndefinedBehaviorSanitizer, then ThreadSanitizer
#   python  the extension with the first two: damaged files of every kind that reaches it are read through Python.
#           PYTHON has the package's dependencies and nanobind; MUTATIONS of each kind (2,000); ONLY names one kind;
#           with WRITE=1 the counts are kept in the table of SECURITY.md.
# Without arguments: native, and python where PYTHON is set.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

native() {
  for kind in address,undefined thread; do
    for name in align_test network_test lines_test feature_names_test analyser_test resample_test scan_test search_test; do
      "${CXX:-c++}" -std=c++17 -O1 -g -ffp-contract=off -Wall -Wextra -Wconversion -fsanitize="$kind" -fno-sanitize-recover=all \
        "$here/$name.cpp" -o "$build/$name" -pthread
      echo "$kind, $name:"
      "$build/$name"
    done
  done
}

python() {
  python=$(command -v "$PYTHON")
  flags="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
  { cmake -S "$root" -B "$build/extension" -DPython_EXECUTABLE="$python" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$flags" &&
    cmake --build "$build/extension" --parallel 2; } >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
  # The package beside the extension that was built for this run, and which nobody replaces while it runs.
  cp -r "$root/src" "$root/tests" "$root/native" "$build/"
  rm -f "$build"/src/anaphor/_native*.so
  cp "$build"/extension/_native*.so "$build/src/anaphor/"
  cd "$build"
  # Python itself is not built with the sanitizers, which therefore have to be there first. Its own allocator would
  # hide ours, what it keeps until its end is no leak, and a size that no memory holds is refused by an exception.
  export PYTHONPATH="$build/src:$build" PYTHONMALLOC=malloc
  export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
  LD_PRELOAD=$("${CXX:-c++}" -print-file-name=libasan.so)
  export LD_PRELOAD
  "$python" -c 'from anaphor.core.engine import native; assert "'"$build"'" in native.__file__, native.__file__'
  "$python" -m tests.fuzz --binary --mutations "${MUTATIONS:-2000}" ${ONLY:+--only "$ONLY"} ${WRITE:+--write "$root" --sanitized}
}

if [ $# = 0 ]; then
  native
  [ -z "${PYTHON:-}" ] || python
else
  for half in "$@"; do "$half"; done
fi
