"""Does not read its input. Its workspace says what to do instead."""

import os
import time

with open('/workspace/way') as file:
    way = file.read()

os.write(2, b'started\n')
if way == 'close':
    os.close(0)
if way == 'wait':
    time.sleep(1000)
os.write(1, b'"not read"')
os._exit(0)
