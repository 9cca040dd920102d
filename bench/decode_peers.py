"""The other tools of bench/decode, and the rounds. Each case opens the file anew, as a loader does."""
import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import time

import av
import cv2
import decord
import numpy as np
import torch
import torchcodec
from torch.nn.functional import interpolate

FRAMES = 300
EVERY = list(range(FRAMES))
CHOICES = {
    "sequential": EVERY,
    "sequential_small": EVERY,
    "sparse8": [i * FRAMES // 8 + FRAMES // 16 for i in range(8)],
    "sparse32": [i * FRAMES // 32 + FRAMES // 64 for i in range(32)],
    "span": [120 + 2 * i for i in range(32)],
    "random": [(i * 7919 + 101) % FRAMES for i in range(16)],
}
SMALL = (280, 224)
MEAN, STD = 0.45, 0.225


def pyav_frames(path, wanted, threads, size=None):
    """One seek to the first frame, then forward; only wanted frames are converted."""
    wanted, out = set(wanted), []
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = threads
        stream.codec_context.thread_type = "AUTO" if threads > 1 else "SLICE"
        ticks = int(1 / (stream.average_rate * stream.time_base))
        if min(wanted) > 0:
            container.seek(min(wanted) * ticks, stream=stream)
        last = max(wanted)
        for frame in container.decode(stream):
            index = round(frame.pts / ticks)
            if index in wanted:
                out.append(frame.to_ndarray(format="rgb24", **({"width": size[0], "height": size[1]} if size else {})))
            if index >= last:
                break
    return out


def pyav_sparse(path, wanted, threads):
    """A seek for each frame where key frames are near, as a tuned reader does; else one pass."""
    if "g250" in path:
        return pyav_frames(path, wanted, threads)
    return [pyav_frames(path, [i], threads)[0] for i in wanted]


def pyav_random(path, wanted, threads):
    """One open file, a seek for each frame, in the given order."""
    out = []
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = threads
        stream.codec_context.thread_type = "AUTO" if threads > 1 else "SLICE"
        ticks = int(1 / (stream.average_rate * stream.time_base))
        for index in wanted:
            container.seek(index * ticks, stream=stream)
            frame = next(f for f in container.decode(stream) if round(f.pts / ticks) >= index)
            out.append(frame.to_ndarray(format="rgb24"))
    return out


def run_pyav(case, path, threads):
    if case == "random":
        return len(pyav_random(path, CHOICES[case], threads))
    if case == "sparse8":
        return len(pyav_sparse(path, CHOICES[case], threads))
    return len(pyav_frames(path, CHOICES[case], threads, SMALL if case == "sequential_small" else None))


def run_decord(case, path, threads):
    size = dict(width=SMALL[0], height=SMALL[1]) if case == "sequential_small" else {}
    reader = decord.VideoReader(path, num_threads=threads, **size)
    if case == "random":
        return len([reader[i].asnumpy() for i in CHOICES[case]])
    return len(reader.get_batch(CHOICES[case]).asnumpy())


def run_torchcodec(case, path, threads):
    # "approximate" trusts the container's frame rate and does not scan the file: its fastest way.
    decoder = torchcodec.decoders.VideoDecoder(path, num_ffmpeg_threads=threads, seek_mode="approximate")
    if case == "random":
        return len([decoder.get_frame_at(i) for i in CHOICES[case]])
    if case == "sequential":
        return len(decoder.get_frames_in_range(0, FRAMES).data)
    return len(decoder.get_frames_at(CHOICES[case]).data)


def jitter_crop(rng, height, width):
    """Scale factor and crop in source pixels of a short side of 256 to 320 and a crop of 224."""
    short = rng.randint(256, 320)
    side = 224 * min(height, width) / short
    return rng.uniform(0, height - side), rng.uniform(0, width - side), side, rng.random() < 0.5


class Clips(torch.utils.data.Dataset):
    """32 of 64 frames, short side 256..320, crop 224, flip, normalised floats, by one of four pipelines."""

    def __init__(self, how, paths):
        self.how, self.paths = how, paths

    def __len__(self):
        return len(self.paths)

    def frames(self, path, wanted):
        if "decord" in self.how:
            return decord.VideoReader(path, num_threads=1).get_batch(wanted).asnumpy()
        if self.how == "torchcodec":
            decoder = torchcodec.decoders.VideoDecoder(path, num_ffmpeg_threads=1, seek_mode="approximate")
            return decoder.get_frames_at(wanted).data
        return np.stack(pyav_frames(path, wanted, 1))

    def __getitem__(self, index):
        rng = random.Random(index + 1)
        start = rng.randint(0, FRAMES - 64)
        pixels = self.frames(self.paths[index], [start + 2 * i for i in range(32)])
        if self.how == "pyav, floats first":  # every pixel becomes a float before it is scaled
            clip = (torch.from_numpy(pixels).float() / 255 - MEAN) / STD
            clip = clip.permute(3, 0, 1, 2)
            short = rng.randint(256, 320)
            scale = short / min(clip.shape[-2:])
            size = [round(clip.shape[-2] * scale), round(clip.shape[-1] * scale)]
            clip = interpolate(clip, size=size, mode="bilinear", align_corners=False)
            y, x = rng.randint(0, clip.shape[-2] - 224), rng.randint(0, clip.shape[-1] - 224)
            clip = clip[..., y:y + 224, x:x + 224]
            return (clip.flip(-1) if rng.random() < 0.5 else clip).contiguous()
        if self.how == "decord, cv2":  # each frame scaled whole, cropped, mirrored; normalised at the end
            short = rng.randint(256, 320)
            scale = short / min(pixels.shape[1:3])
            size = (round(pixels.shape[2] * scale), round(pixels.shape[1] * scale))
            scaled = np.stack([cv2.resize(f, size, interpolation=cv2.INTER_LINEAR) for f in pixels])
            y, x = rng.randint(0, size[1] - 224), rng.randint(0, size[0] - 224)
            cropped = scaled[:, y:y + 224, x:x + 224]
            cropped = cropped[:, :, ::-1] if rng.random() < 0.5 else cropped
            return torch.from_numpy(np.ascontiguousarray(cropped.transpose(3, 0, 1, 2)))
        # Hand-tuned: the crop first, scaled as bytes, normalised at the end.
        t = pixels if torch.is_tensor(pixels) else torch.from_numpy(pixels).permute(0, 3, 1, 2)
        y, x, side, flip = jitter_crop(rng, *t.shape[-2:])
        t = t[..., int(y):int(y + side), int(x):int(x + side)]
        t = interpolate(t, size=(224, 224), mode="bilinear", align_corners=False)
        return (t.flip(-1) if flip else t).permute(1, 0, 2, 3).contiguous()


def normalised(batch):
    return batch if batch.is_floating_point() else (batch.float() / 255 - MEAN) / STD


def loader_of(how, paths, workers):
    return torch.utils.data.DataLoader(Clips(how, paths), batch_size=4, num_workers=workers if workers > 1 else 0,
                                       persistent_workers=workers > 1, worker_init_fn=one_thread)


def one_thread(_):
    torch.set_num_threads(1)
    cv2.setNumThreads(1)


LOADERS = {}


def run_clips(how, path, workers):
    key = (how, path, workers)
    if key not in LOADERS:
        LOADERS[key] = loader_of(how, [path] * CLIPS, workers)
        if workers > 1:  # the workers start before the clock
            for _ in LOADERS[key]:
                pass
    return sum(len(normalised(batch)) for batch in LOADERS[key])


CLIPS = 24
PIPELINES = ["hand-tuned decord", "torchcodec", "decord, cv2", "pyav, floats first"]


class Ours:
    def __init__(self, program, home):
        self.home = home
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, case, path, threads):
        if case == "clips":
            path = self.listed(path)
        self.process.stdin.write(f"{case} {path} {threads}\n")
        self.process.stdin.flush()
        seconds, count = self.process.stdout.readline().split()
        return float(seconds), int(count)

    def listed(self, path):
        file = path + ".list"
        with open(file, "w") as f:
            f.write(f"{path} 0\n" * CLIPS)
        return file

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def timed(run, *args):
    begin = time.perf_counter()
    count = run(*args)
    return time.perf_counter() - begin, count


def peak_megabytes(tool, case, path, args):
    """Of a fresh process that does the case three times."""
    code = [sys.executable, __file__, args.home, "--build", args.build, "--alone", f"{tool}:{case}:{path}"]
    return int(subprocess.run(code, capture_output=True, text=True, check=True).stdout)


def alone(spec, ours_program, home):
    tool, case, path = spec.split(":", 2)
    if tool == "marey":
        ours = Ours(ours_program, home)
        for _ in range(3):
            ours(case, path, 2)
        ours.end()
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    else:
        for _ in range(3):
            tools(case)[tool](case, path, 2)
        LOADERS.clear()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak // 1024)


def tools(case):
    if case == "clips":
        return {how: (lambda c, p, t, how=how: run_clips(how, p, t)) for how in PIPELINES}
    out = {"torchcodec": run_torchcodec, "decord": run_decord, "PyAV": run_pyav}
    if case == "sequential_small":
        del out["torchcodec"]  # has no scaling of its own
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("home")
    parser.add_argument("--build", default="build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="")
    parser.add_argument("--alone", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    program = os.path.join(args.build, "bin", "bench_decode")
    if args.alone:
        return alone(args.alone, program, args.home)
    ours = Ours(program, args.home)
    chosen = args.only.split(",") if args.only else [*CHOICES, "clips"]
    print(f"PyAV {av.__version__}, decord {decord.__version__}, torchcodec {torchcodec.__version__}, "
          f"median of {args.rounds} interleaved rounds")
    for case in chosen:
        for gop in ("g12", "g250"):
            path = os.path.join(args.home, gop + ".mp4")
            for threads in (1, 2):
                times = {"marey": []} | {tool: [] for tool in tools(case)}
                for round_number in range(args.rounds + 1):
                    seconds, expected = ours(case, path, threads)
                    times["marey"].append(seconds)
                    for tool, run in tools(case).items():
                        seconds, count = timed(run, case, path, threads)
                        assert count == expected, (tool, case, count, expected)
                        times[tool].append(seconds)
                    if round_number == 0:  # warm-up
                        times = {tool: [] for tool in times}
                medians = {tool: statistics.median(t) for tool, t in times.items()}
                best = min((t, tool) for tool, t in medians.items() if tool != "marey")
                shown = ", ".join(f"{tool} {t * 1e3:.1f}" for tool, t in medians.items())
                print(f"{case:17} {gop:5} {threads} threads: {shown} ms; marey {best[0] / medians['marey']:.2f}x the "
                      f"fastest other ({best[1]})", flush=True)
    ours.end()
    LOADERS.clear()
    for case in chosen:
        path = os.path.join(args.home, "g250.mp4")
        shown = ", ".join(f"{tool} {peak_megabytes(tool, case, path, args)}" for tool in ["marey", *tools(case)])
        print(f"{case:17} peak memory with 2 threads: {shown} MB", flush=True)


main()
