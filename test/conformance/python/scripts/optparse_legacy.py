"""An older script, with optparse."""
from optparse import OptionGroup, OptionParser

parser = OptionParser(usage="%prog [options] NAME...", version="%prog 1.4", description="Greets in several ways.")
parser.add_option("-g", "--greeting", default="Hello", help="the word [default: %default]", metavar="WORD")
parser.add_option("-n", "--times", type="int", default=1)
parser.add_option("-q", action="store_false", dest="loud", default=True)
parser.add_option("--mark", action="append", choices=["!", "?"])
group = OptionGroup(parser, "Rare options", "Not needed often.")
group.add_option("--scale", type="float", help="how much")
parser.add_option_group(group)
options, names = parser.parse_args()
if not names:
    parser.error("no names")
for name in names:
    for _ in range(options.times):
        text = f"{options.greeting}, {name}{''.join(options.mark or ['.'])}"
        print(text.upper() if options.loud else text)
print(sorted(vars(options).items(), key=str))
