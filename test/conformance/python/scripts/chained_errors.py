"""Fail with chained exceptions, as a loader of a configuration would."""
import json
import sys


class ConfigError(Exception):
    """A configuration that cannot be used."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError as error:
        raise ConfigError(f"{path} is missing") from error
    except json.JSONDecodeError:
        raise ConfigError(f"{path} is not JSON") from None
    except UnicodeDecodeError as error:
        error.add_note(f"{path} should be UTF-8")
        raise


def port(config):
    try:
        return config["server"]["port"]
    except KeyError as error:
        print("falling back", file=sys.stderr)
        return config["defaults"][str(error)]


print(port(read(sys.argv[1])))
