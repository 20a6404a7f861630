"""Write a short tone as a WAV file, and measure it."""
import array
import math
import sys
import wave

rate, seconds, frequency = 8000, 0.05, float(sys.argv[1]) if len(sys.argv) > 1 else 440.0
samples = array.array("h", (round(20000 * math.sin(2 * math.pi * frequency * n / rate)) for n in range(int(rate * seconds))))
with wave.open("tone.wav", "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(rate)
    file.writeframes(samples.tobytes())
with wave.open("tone.wav") as file:
    print(file.getparams())
    frames = array.array("h", file.readframes(file.getnframes()))
crossings = sum(a < 0 <= b for a, b in zip(frames, frames[1:]))
print(crossings, max(frames), min(frames), f"{math.sqrt(sum(n * n for n in frames) / len(frames)):.3f}")
try:
    wave.open("nothing.wav")
except FileNotFoundError as error:
    print(error)
open("bad.wav", "wb").write(b"RIFF....WAVX")
try:
    wave.open("bad.wav")
except (wave.Error, EOFError) as error:
    print(type(error).__name__, error)
