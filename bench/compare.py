#!/usr/bin/env python3
"""Ours and peers' commands, interleaved in one run: best and median of each, and their ratios.

    bench/compare.py --ours 'build/release/bench_build 22 2' --time 'Build Time: *([0-9.]+)' \\
                     --peer 'env OMP_NUM_THREADS=2 path/to/peer -g 22 -n 1' --peer-time 'Build Time: *([0-9.]+)'

--peer may be given several times; each has a --peer-time of its own, or all have the last one. A command's time is
what its regular expression finds in its output, or its wall-clock time where none is given.
Peak memory is that of the whole process (ru_maxrss)."""

import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
import time


def run(command, pattern):
    start = time.perf_counter()
    process = subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    if status != 0:
        sys.exit(f"failed: {command}\n{output}")
    if not pattern:
        return wall, usage.ru_maxrss
    found = re.search(pattern, output)
    if not found:
        sys.exit(f"no time found in the output of: {command}\n{output}")
    return float(found.group(1)), usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--time", help="regular expression with one group: seconds")
    parser.add_argument("--peer", action="append", required=True)
    parser.add_argument("--peer-time", action="append", default=[])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    sides = [("ours", options.ours, options.time, [], [])]
    for i, command in enumerate(options.peer):
        pattern = options.peer_time[min(i, len(options.peer_time) - 1)] if options.peer_time else None
        sides.append(("peer", command, pattern, [], []))
    for _ in range(options.runs):
        for _, command, pattern, times, peaks in sides:
            seconds, peak = run(command, pattern)
            times.append(seconds)
            peaks.append(peak)
    ours = sides[0][3]
    for name, command, _, times, peaks in sides:
        print(f"{name}: best {min(times):.6g} s, median {statistics.median(times):.6g} s, worst {max(times):.6g} s, "
              f"peak {max(peaks) / 1000:.0f} MB  ({command})")
        if name == "peer":
            print(f"peer / ours: best {min(times) / min(ours):.2f}, median "
                  f"{statistics.median(times) / statistics.median(ours):.2f}")


if __name__ == "__main__":
    main()
