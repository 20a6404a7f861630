"""Reports through one FIFO that it runs, and continues after a message through another."""

from attack import given, json, os, sys

for name in ('runs', 'looked'):
    os.close(os.open(f'{given["folder"]}/{name}', os.O_WRONLY))
json.dump(os.environ.get('GRANTED_NAME'), sys.stdout)
