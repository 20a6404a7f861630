"""Changes to a run's state file that the daemon reads back, and traces of other calls."""

import json

from attack import given, got, os, read, sys, write

path = os.environ['AMBIT_STATE']
folder = os.path.dirname(path)


def instead(make):
    os.remove(path)
    make()


def sound():
    write(f'{path}.new', json.dumps({'kept': given.get('kept', True)}))
    os.rename(f'{path}.new', path)


def link():
    instead(lambda: os.symlink(given['secret'], path))


def linked_folder():
    """Replaces its folder by another one, in which the file's name leads out."""
    tried = [got(os.rename, folder, f'{folder}-old'), got(os.rmdir, folder), got(os.symlink, '/tmp', folder)]
    if not all(isinstance(error, str) for error in tried):
        sys.exit(f'the folder could be replaced: {tried}')
    link()


def hard_link():
    instead(lambda: got(os.link, given['secret'], path))


def fifo():
    instead(lambda: os.mkfifo(path))


def giant():
    os.truncate(path, 1 << 26)


def deep():
    write(path, '{"a":' + '[' * 200_000 + ']' * 200_000 + '}')


def many():
    write(path, '{"a":[' + '0,' * 1_000_000 + '0]}')


def closed_file():
    sound()
    os.chmod(path, 0o000)


def closed_folder():
    sound()
    os.chmod(folder, 0o000)


def still_running():
    """A process that outlives the program, and swaps the file for a symlink and back while it runs."""
    sound()
    if os.fork() == 0:
        os.setsid()
        for stream in range(3):
            os.close(stream)
        while True:
            got(os.symlink, given['secret'], f'{path}.link')
            got(os.rename, f'{path}.link', path)
            got(sound)


def leave_marks():
    """Files beside the state file and in every other folder, for the next call to find."""
    sound()
    for place in [f'{folder}/mark', '/tmp/mark']:
        write(place)


def look():
    """Traces of another call."""
    print(json.dumps({'state': json.loads(read(path)), 'folder': sorted(os.listdir(folder)), 'tmp': os.listdir('/tmp')}))
    sys.exit(0)


globals()[given['way']]()
json.dump('left', sys.stdout)
