"""Draw a Mandelbrot set as a PPM picture and as text."""
import sys


def escape(c, limit):
    z = 0j
    for count in range(limit):
        if abs(z) > 2:
            return count
        z = z * z + c
    return limit


width, height, limit = (int(word) for word in (sys.argv[1:] + ["48", "24", "30"][len(sys.argv) - 1:])[:3])
counts = [[escape(complex(-2.2 + 3.2 * x / width, -1.2 + 2.4 * y / height), limit) for x in range(width)] for y in range(height)]
with open("set.ppm", "wb") as file:
    file.write(b"P6 %d %d 255\n" % (width, height))
    file.write(bytes(channel for row in counts for count in row for channel in (count * 255 // limit, count * 8 % 256, 255 - count)))
shades = " .:-=+*#%@"
for row in counts[:: max(1, height // 12)]:
    print("".join(shades[count * (len(shades) - 1) // limit] for count in row).rstrip())
print(sum(map(sum, counts)))
