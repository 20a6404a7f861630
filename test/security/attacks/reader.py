"""Reads one file, for attacks that end before anything runs."""

from attack import given, got, json, read, sys

json.dump(got(read, given['file']), sys.stdout)
