"""Convert colours between hex, RGB, HSL and HSV, and compute contrast."""
import colorsys
import sys


def parse(text):
    digits = text.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return tuple(int(digits[n:n + 2], 16) / 255 for n in (0, 2, 4))


def luminance(rgb):
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


colors = []
for text in sys.argv[1:]:
    try:
        rgb = parse(text)
    except ValueError as error:
        print(f"{text}: {error}", file=sys.stderr)
        continue
    colors.append(rgb)
    h, l, s = colorsys.rgb_to_hls(*rgb)
    hsv = colorsys.rgb_to_hsv(*rgb)
    print(text, [round(c * 255) for c in rgb], f"hsl({h * 360:.1f}, {s:.1%}, {l:.1%})", "hsv(%.4f, %.4f, %.4f)" % hsv, [round(value, 5) for value in colorsys.rgb_to_yiq(*rgb)])
    back = colorsys.hsv_to_rgb(*hsv)
    print("  ", "#" + "".join(f"{round(c * 255):02x}" for c in back), f"{luminance(rgb):.5f}")
for a, b in zip(colors, colors[1:]):
    print(f"contrast {contrast(a, b):.2f}:1", "AA" if contrast(a, b) >= 4.5 else "low")
