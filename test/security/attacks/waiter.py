"""Says that it runs, by one FIFO, and goes on when somebody who has looked at it says so, by another."""

from attack import given, json, os, sys

for name in ('runs', 'looked'):
    os.close(os.open(f'{given["folder"]}/{name}', os.O_WRONLY))
json.dump(os.environ.get('GRANTED_NAME'), sys.stdout)
