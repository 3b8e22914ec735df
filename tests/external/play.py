"""Plays a film with FFmpeg's decoder and prints what is seen, as JSON.

Usage: play.py FILM
"""

import json
import sys

import av


def main() -> int:
    with av.open(sys.argv[1]) as film:
        stream = film.streams.video[0]
        frames = []
        for frame in film.decode(stream):
            pixels = frame.to_ndarray(format="rgb24")
            height, width = pixels.shape[:2]
            corners = [pixels[height // 4, width // 4], pixels[3 * height // 4, 3 * width // 4]]
            frames.append({"time": frame.time, "key": frame.key_frame, "colors": [[int(c) for c in color] for color in corners]})
        report = {
            "container": film.format.name,
            "codec": stream.codec_context.name,
            "pixels": stream.pix_fmt,
            "size": [stream.width, stream.height],
            "duration": float(stream.duration * stream.time_base),
            "frames": frames,
        }
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
