"""The lists of bench/lists, the Python loop, and the rounds."""
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def write_list(file, rows):
    with open(file, "w") as f:
        for i in range(rows):
            f.write(f"videos/train/class_{i % 400:03d}/{i * 2654435761 % 2**32:08x}_{i % 300:06d}.mp4 {i % 400}\n")


def python_rows(file):
    rows = []
    with open(file) as f:
        for line in f:
            path, label = line.strip().rsplit(" ", 1)
            rows.append({"filename": path, "label": int(label)})
    return rows


def python_alone(file):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, grown, rows = [], 0, 0
    for i in range(7):
        begin = time.perf_counter()
        rows = len(python_rows(file))
        seconds.append(time.perf_counter() - begin)
        if i == 0:
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(rows, f"{statistics.median(seconds):.4f}", f"{grown:.1f}")


def main():
    if sys.argv[1] == "--alone":
        return python_alone(sys.argv[2])
    for rows in (240_000, 1_000_000):
        with tempfile.NamedTemporaryFile() as list_file:
            write_list(list_file.name, rows)
            shown, times = [], []
            for name, command in (("marey", sys.argv[1:2]), ("Python loop", [sys.executable, __file__, "--alone"])):
                answer = subprocess.run([*command, list_file.name], capture_output=True, text=True, check=True).stdout
                count, seconds, grown = answer.split()
                assert int(count) == rows, (name, count)
                times.append(float(seconds))
                shown.append(f"{name} {float(seconds) * 1e3:.0f} ms, {float(grown):.0f} MB")
            print(f"{rows:9,} rows: {'; '.join(shown)}; marey {times[1] / times[0]:.2f}x as fast")


main()
