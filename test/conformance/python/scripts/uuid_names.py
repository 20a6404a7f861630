"""Name-based UUIDs for the records on stdin."""
import sys
import uuid

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "corpus.example.org")
for line in sys.stdin:
    name = line.strip()
    if name:
        made = uuid.uuid5(NAMESPACE, name)
        print(made, made.version, made.variant.split()[-1], uuid.uuid3(NAMESPACE, name).hex)
for text in ("{12345678-1234-5678-1234-567812345678}", "urn:uuid:12345678123456781234567812345678", "123"):
    try:
        value = uuid.UUID(text)
        print(value, value.int, value.bytes_le.hex(), value.fields, value.urn)
    except ValueError as error:
        print(error)
random = uuid.uuid4()
print(random.version, len(str(random)), uuid.UUID(bytes=random.bytes) == random, uuid.UUID(int=5) < uuid.UUID(int=6))
