"""Reformat paragraphs: wrap, indent, shorten, or make a box."""
import argparse
import re
import sys
import textwrap

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter, fromfile_prefix_chars="@")
parser.add_argument("-w", "--width", type=int, default=40, help="columns")
parser.add_argument("-m", "--mode", choices=["wrap", "quote", "shorten", "box", "dedent"], default="wrap", help="what to do")
parser.add_argument("--hyphens", action=argparse.BooleanOptionalAction, default=True, help="break at hyphens")
args = parser.parse_args()

for number, paragraph in enumerate(re.split(r"\n{2,}", sys.stdin.read().rstrip("\n"))):
    if number:
        print()
    wrapper = textwrap.TextWrapper(width=args.width, break_on_hyphens=args.hyphens)
    bullet = re.match(r"([-*]|\d+\.)\s+", paragraph)
    if bullet and args.mode == "wrap":
        wrapper.subsequent_indent = " " * bullet.end()
    if args.mode == "wrap":
        print(wrapper.fill(paragraph))
    elif args.mode == "quote":
        print(textwrap.indent(wrapper.fill(paragraph), "> "))
    elif args.mode == "shorten":
        print(textwrap.shorten(paragraph, args.width, placeholder=" …"))
    elif args.mode == "dedent":
        print(textwrap.dedent(paragraph))
    else:
        lines = wrapper.wrap(paragraph)
        print("+" + "-" * (args.width + 2) + "+", *(f"| {line:^{args.width}} |" for line in lines), "+" + "-" * (args.width + 2) + "+", sep="\n")
