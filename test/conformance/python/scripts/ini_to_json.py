"""Read an INI file with interpolation and print JSON; -s sets values and rewrites it."""
import configparser
import json
import sys

path, *options = sys.argv[1:] or ["app.ini"]
config = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation(), allow_no_value=True)
config.optionxform = str
try:
    with open(path, encoding="utf-8") as file:
        config.read_file(file)
except configparser.Error as error:
    print(type(error).__name__, error, sep=": ", file=sys.stderr)
    sys.exit(65)
for option in options:
    name, _, value = option.partition("=")
    section, _, key = name.rpartition(".")
    if not config.has_section(section):
        config.add_section(section)
    config[section][key] = value
if options:
    with open(path, "w", encoding="utf-8") as file:
        config.write(file, space_around_delimiters=False)
else:
    print(json.dumps({name: dict(config[name]) for name in config.sections()}, indent=2))
    print(config.getboolean("server", "debug", fallback=None), config.getint("server", "port", fallback=-1))
