"""Ordinary network clients, used normally and against the rules: each a command line in the test's table."""

import subprocess

from attack import attack, given, os, report


def ended(command):
    done = subprocess.run(
        command['argv'],
        capture_output=True,
        timeout=60,
        env={**os.environ, 'GIT_TERMINAL_PROMPT': '0', **command.get('env', {})},
    )
    return [done.returncode, done.stdout.decode().strip()]


for row in given:
    attack(row['name'])(lambda row=row: (ended(row['attack']), ended(row['permitted'])))

report()
