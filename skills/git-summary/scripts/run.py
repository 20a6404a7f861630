#!/usr/bin/env python3
"""Summarize a git repository as Markdown, without running anything that the repository configures.

Exit code 0: the summary is on stdout. Exit code 2: the arguments are wrong, or the folder is not there or is
no repository. Exit code 1: git itself failed. One sentence on stderr says what happened.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from datetime import date
from pathlib import Path

COMMITS_DEFAULT = 20
COMMITS_MAX = 200
WINDOW_COMMITS_MAX = 500
NAMES_MAX = 20
RANKED_MAX = 10
TAGS_MAX = 5
SHOWN_CHARS_MAX = 200

GLOBAL_CONFIG = Path(__file__).resolve().parent.parent / 'assets' / 'gitconfig'

# The repository's own configuration is a stranger's. These keys go over it, because each names a program that
# git would start, or changes an output that is parsed below.
OVERRIDES = {
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
    'core.pager': 'cat',
    'log.showSignature': 'false',
    'status.submoduleSummary': 'false',
    'color.ui': 'false',
    'log.showRoot': 'true',
    'diff.relative': 'false',
    # uid, ctime and inode differ under a bind mount; without this, every file would be read again.
    'core.checkStat': 'minimal',
    'core.trustctime': 'false',
    # Large packs and files in pieces, so that the memory limit of ambit.yaml holds.
    'core.packedGitWindowSize': '16m',
    'core.packedGitLimit': '64m',
    'core.bigFileThreshold': '16m',
}

# git reads nearly anything as a date, and takes what it cannot read for "now": a typing error would look like
# a quiet week. So only forms without doubt pass.
SINCE_DATE = re.compile(r'[0-9]{4}-[0-9]{2}-[0-9]{2}')
SINCE_AGO = re.compile(r'([1-9][0-9]{0,4}) (hour|day|week|month|year)s?(?: ago)?')


class Failure(Exception):
    """Ends the program with an exit code and a sentence."""

    def __init__(self, exit_code: int, sentence: str):
        super().__init__(sentence)
        self.exit_code = exit_code


def main() -> int:
    try:
        markdown = summarize(parse_arguments(sys.argv[1:]))
    except Failure as failure:
        print(f'git-summary: {failure}', file=sys.stderr)
        return failure.exit_code
    sys.stdout.buffer.write(markdown.encode('utf-8'))
    return 0


def parse_arguments(arguments: list) -> argparse.Namespace:
    # No abbreviations: "--s" must not change its meaning when an option is added.
    parser = Arguments(prog='git-summary', allow_abbrev=False, add_help=False)
    parser.add_argument('repository', metavar='REPOSITORY')
    parser.add_argument('--since', metavar='DATE', type=since)
    parser.add_argument('--max', metavar='N', type=commit_count, default=COMMITS_DEFAULT)
    return parser.parse_args(arguments)


class Arguments(argparse.ArgumentParser):
    def error(self, message: str):
        raise Failure(2, f'{shown(message)}; usage: git-summary REPOSITORY [--since DATE] [--max N].')


def since(text: str) -> str:
    if SINCE_DATE.fullmatch(text):
        try:
            date.fromisoformat(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f'{text} is not in the calendar') from None
        # Without a time git means that day at the present time of day.
        return f'{text}T00:00:00'
    if SINCE_AGO.fullmatch(text):
        return text if text.endswith(' ago') else f'{text} ago'
    raise argparse.ArgumentTypeError('write a date such as 2024-05-31, or a span such as "2 weeks"')


def commit_count(text: str) -> int:
    if not re.fullmatch(r'[0-9]{1,3}', text) or not 1 <= int(text) <= COMMITS_MAX:
        raise argparse.ArgumentTypeError(f'write a whole number from 1 to {COMMITS_MAX}')
    return int(text)


def summarize(arguments: argparse.Namespace) -> str:
    git = open_repository(arguments.repository)
    sections = [
        f'# Git summary of {code(os.path.abspath(arguments.repository))}',
        overview(git),
        f'## Working tree\n\n{working_tree(git)}',
    ]
    if has_commits(git):
        sections += history(git, arguments.since, arguments.max)
    return '\n\n'.join(sections) + '\n'


class Git:
    """Runs git in one folder, with none of our environment and no program that the repository chose."""

    def __init__(self, folder: str):
        self.folder = folder
        self.environment = {
            'PATH': os.environ.get('PATH', '/usr/local/bin:/usr/bin:/bin'),
            'HOME': '/nonexistent',
            'LC_ALL': 'C.UTF-8',
            'TZ': 'UTC',
            'GIT_CONFIG_GLOBAL': str(GLOBAL_CONFIG),
            'GIT_CONFIG_NOSYSTEM': '1',
            'GIT_ATTR_NOSYSTEM': '1',
            # Reading must not write: without this, status refreshes the index.
            'GIT_OPTIONAL_LOCKS': '0',
            'GIT_PAGER': 'cat',
            'GIT_TERMINAL_PROMPT': '0',
            # A partial clone would fetch what it lacks, through whatever transport it configures.
            'GIT_NO_LAZY_FETCH': '1',
            'GIT_ALLOW_PROTOCOL': 'none',
        }
        self.override(OVERRIDES)

    def override(self, settings: dict) -> None:
        # By environment rather than -c, which cannot set a key that contains "=".
        for number, (key, value) in enumerate(settings.items()):
            self.environment[f'GIT_CONFIG_KEY_{number}'] = key
            self.environment[f'GIT_CONFIG_VALUE_{number}'] = value
        self.environment['GIT_CONFIG_COUNT'] = str(len(settings))

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        # -C takes what follows as a folder, whatever it looks like. Of the other arguments only the date is
        # the caller's, checked, and behind "--since=".
        return subprocess.run(
            ['git', '--no-pager', '-C', self.folder, *arguments],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def succeeds(self, *arguments: str) -> bool:
        return self.run(*arguments).returncode == 0

    def text(self, *arguments: str) -> str:
        """Give what git printed, without the line break at its end."""
        result = self.run(*arguments)
        if result.returncode != 0:
            raise Failure(1, f'git {arguments[0]} failed: {complaint(result)}')
        return decode(result.stdout).rstrip('\n')

    def records(self, *arguments: str) -> list:
        """Give what git printed between NUL bytes: file names may contain anything else."""
        return [record for record in self.text(*arguments).split('\0') if record]


def open_repository(repository: str) -> Git:
    folder = os.path.abspath(repository)
    if '\0' in folder or not os.path.isdir(folder):
        raise Failure(
            2,
            f'there is no folder {code(folder)} here: check the path, and that the operator has granted it '
            '(grants: { git-summary: { filesystem: { read: [PATH] } } }).',
        )

    git = Git(folder)
    try:
        result = git.run('rev-parse', '--git-dir')
    except FileNotFoundError:
        raise Failure(1, 'git is not installed here: install it, or add it to the PATH.') from None
    if result.returncode != 0:
        raise Failure(2, f'{code(folder)} cannot be read as a git repository: {complaint(result)}')

    # status sends changed files through the clean filters that attributes choose and configuration defines.
    # Any name can be defined, so each one that is there is defined again, as nothing.
    keys = (key.split('.') for key in git.records('config', '--null', '--name-only', '--list'))
    filters = {'.'.join(key[1:-1]) for key in keys if key[0] == 'filter' and len(key) > 2}
    nothing = {'clean': '', 'process': '', 'required': 'false'}
    disabled = {f'filter.{name}.{key}': nothing[key] for name in filters for key in nothing}
    git.override({**OVERRIDES, **disabled})
    return git


def overview(git: Git) -> str:
    lines = [f'- Branch: {branch(git)}']
    heads = commits(git, '--max-count=1') if has_commits(git) else []
    lines.append(f'- Head: {heads[0]}' if heads else '- Head: no commit yet')
    stashed = git.succeeds('rev-parse', '--verify', '--quiet', 'refs/stash')
    stashes = git.text('rev-list', '--walk-reflogs', '--count', 'refs/stash') if stashed else 0
    lines.append(f'- Stashes: {stashes}')
    if git.text('rev-parse', '--is-shallow-repository') == 'true':
        lines.append('- History: a shallow clone, older commits are not here')
    return '\n'.join(lines)


def has_commits(git: Git) -> bool:
    return git.succeeds('rev-parse', '--verify', '--quiet', 'HEAD^{commit}')


def branch(git: Git) -> str:
    head = git.run('symbolic-ref', '--quiet', 'HEAD')
    if head.returncode != 0:
        return 'none, HEAD is detached'
    ref = decode(head.stdout).rstrip('\n')
    name = code(ref[len('refs/heads/') :] if ref.startswith('refs/heads/') else ref)
    tracking = git.text('for-each-ref', '--format=%(upstream:short)%00%(upstream:track,nobracket)', ref)
    # The first line only: HEAD is a file that may hold refs/heads/*, which for-each-ref takes for a pattern.
    upstream, _, distance = tracking.split('\n')[0].partition('\0')
    if not upstream:
        return f'{name}, no upstream'
    # git leaves the distance empty when both are at the same commit.
    return f'{name}, upstream {code(upstream)} ({distance or "level"})'


def working_tree(git: Git) -> str:
    if git.text('rev-parse', '--is-inside-work-tree') != 'true':
        return 'None: this is a bare repository, or the inside of a .git folder.'

    entries = git.records(
        'status',
        '--porcelain=v1',
        '-z',
        '--untracked-files=normal',
        '--no-renames',
        # "dirty" leaves out what would start another git in each submodule, where other filters are configured.
        '--ignore-submodules=dirty',
    )
    if not entries:
        return 'Clean.'
    states = [(state(entry[:2]), entry[3:]) for entry in entries]
    counts = Counter(kind for kinds, _ in states for kind in kinds)
    order = ('in conflict', 'staged', 'not staged', 'untracked')
    total = ', '.join(f'{counts[kind]} {kind}' for kind in order if counts[kind])
    lines = [f'- {code(name)}: {"; ".join(kinds.values())}' for kinds, name in states]
    return f'{total}.\n\n{bullets(lines, NAMES_MAX)}'


# Without R and C: renames are switched off above, and then each is a deletion and an addition.
CHANGES = {'M': 'modified', 'A': 'added', 'D': 'deleted', 'T': 'type changed'}


def state(letters: str) -> dict:
    """Turn the two letters of git status into words, by what the file counts as."""
    if letters == '??':
        return {'untracked': 'untracked'}
    if 'U' in letters or letters in ('AA', 'DD'):
        return {'in conflict': 'in conflict'}
    kinds = zip(('staged', 'not staged'), letters)
    return {kind: f'{CHANGES.get(letter, letter)}, {kind}' for kind, letter in kinds if letter != ' '}


def history(git: Git, since: str | None, listed_max: int) -> list:
    # One more than the window holds, to know whether something is left out.
    window = [f'--max-count={WINDOW_COMMITS_MAX + 1}', *([f'--since={since}'] if since else [])]
    listed = commits(git, *window)
    cut = len(listed) > WINDOW_COMMITS_MAX
    listed = listed[:WINDOW_COMMITS_MAX]
    where = f'since {since.replace("T00:00:00", "")}' if since else 'in the history'
    if not listed:
        return [f'## Recent commits\n\nNone {where}.', tags(git)]

    total = f'More than {WINDOW_COMMITS_MAX} commits' if cut else plural(len(listed), 'commit')
    counted = f'; the newest {WINDOW_COMMITS_MAX} are counted below' if cut else ''
    recent = bullets([f'- {commit}' for commit in listed], listed_max)
    window[0] = f'--max-count={WINDOW_COMMITS_MAX}'
    files = log(git, *window, '--format=', '--name-only', '--no-renames')
    authors = log(git, *window, '--format=%aN', '--no-patch')
    return [
        f'## Recent commits\n\n{total} {where}{counted}.\n\n{recent}',
        f'## Most active files\n\n{ranked(files) or "None."}',
        f'## Most active authors\n\n{ranked(authors)}',
        tags(git),
    ]


def commits(git: Git, *window: str) -> list:
    """Give one line of Markdown for each commit, newest first."""
    # No field can hold a line break: git folds the subject to one line, and refuses one in a name.
    lines = []
    for record in log(git, *window, '--format=%h%n%as%n%aN%n%s', '--no-patch'):
        short_hash, day, author, subject = record.split('\n', 3)
        lines.append(f'{code(short_hash)} {day} {code(author)}: {code(subject)}')
    return lines


def log(git: Git, *options: str) -> list:
    safe = ('--no-ext-diff', '--no-textconv', '--no-show-signature', '--no-color', '--encoding=UTF-8')
    # The "--" keeps git from asking whether HEAD is a file of that name.
    return git.records('log', *safe, *options, '-z', 'HEAD', '--')


def tags(git: Git) -> str:
    listed = git.text(
        'for-each-ref',
        '--merged=HEAD',
        '--sort=refname',
        '--sort=-creatordate',
        '--format=%(refname:strip=2)%00%(creatordate:short)',
        'refs/tags',
    )
    if not listed:
        return '## Tags\n\nNone in the history of HEAD.'
    nearest, distance, _ = git.text('describe', '--tags', '--long', 'HEAD').rsplit('-', 2)
    where = 'at HEAD' if distance == '0' else f'{plural(int(distance), "commit")} before HEAD'
    # Not splitlines: a tag may contain other characters that Unicode calls line breaks.
    entries = [line.split('\0') for line in listed.split('\n')]
    lines = [f'- {code(name)} {day}' for name, day in entries]
    return f'## Tags\n\nThe nearest is {code(nearest)}, {where}.\n\n{bullets(lines, TAGS_MAX)}'


def ranked(names: list) -> str:
    # Ties in the order of the names, so that the same repository always gives the same summary.
    order = sorted(Counter(names).items(), key=lambda entry: (-entry[1], entry[0]))
    return bullets([f'- {code(name)}: {plural(count, "commit")}' for name, count in order], RANKED_MAX)


def bullets(lines: list, shown_max: int) -> str:
    more = len(lines) - shown_max
    return '\n'.join(lines[:shown_max] + ([f'- … and {more} more'] if more > 0 else []))


def plural(count: int, noun: str) -> str:
    return f'{count} {noun}' if count == 1 else f'{count} {noun}s'


def code(text: str) -> str:
    """Put text of the repository's into a code span, which it cannot leave to become Markdown."""
    text = shown(text)
    if not text:
        return '(empty)'
    fence = '`' * (max((len(run) for run in re.findall('`+', text)), default=0) + 1)
    # Markdown takes one space off each end; without it, a backtick there would join the fence.
    edge = ' ' if text[0] in '` ' or text[-1] in '` ' else ''
    return f'{fence}{edge}{text}{edge}{fence}'


def shown(text: str) -> str:
    """Escape what does not print, and what changes how other text prints, such as right-to-left marks."""
    cut = text if len(text) <= SHOWN_CHARS_MAX else text[: SHOWN_CHARS_MAX - 1] + '…'
    return ''.join(escaped(character) for character in cut)


def escaped(character: str) -> str:
    named = {'\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\'}.get(character)
    if named:
        return named
    if unicodedata.category(character) not in ('Cc', 'Cf', 'Cs', 'Co', 'Cn', 'Zl', 'Zp'):
        return character
    point = ord(character)
    # A byte that is not UTF-8 was read as one of these (PEP 383).
    if 0xDC80 <= point <= 0xDCFF:
        return f'\\x{point - 0xDC00:02x}'
    return f'\\u{point:04x}' if point <= 0xFFFF else f'\\U{point:08x}'


def decode(raw: bytes) -> str:
    return raw.decode('utf-8', errors='surrogateescape')


def complaint(result: subprocess.CompletedProcess) -> str:
    """Give the line that git died with, or else the first one of its complaints."""
    lines = decode(result.stderr).splitlines() or [f'exit code {result.returncode}']
    line = next((line for line in lines if line.startswith('fatal: ')), lines[0])
    return shown(re.sub(r'^(fatal|error): ', '', line)).rstrip('.') + '.'


if __name__ == '__main__':
    sys.exit(main())
