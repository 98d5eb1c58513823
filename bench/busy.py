#!/usr/bin/env python3
"""A command beside busy processes: N processes that do nothing but spin, at the same priority and pinned nowhere.

    bench/busy.py 1 bench/compare.py --ours 'build/release/bench_bfs 20 2 64' --time 'Search Time: *([0-9.]+)' ...

They end with the command, whose exit code is handed on."""

import os
import subprocess
import sys
import time


def spin(parent):
    while os.getppid() == parent:  # so that none outlives a parent that was killed
        for _ in range(1000000):
            pass


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    children = []
    parent = os.getpid()
    try:
        for _ in range(int(sys.argv[1])):
            child = os.fork()
            if child == 0:
                spin(parent)
                os._exit(0)
            children.append(child)
        time.sleep(0.2)  # the scheduler has spread them over the processors by then
        status = subprocess.run(sys.argv[2:]).returncode
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
