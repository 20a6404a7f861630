"""Stream records through generators: send, throw, close, delegation."""
import sys


def lines(stream):
    try:
        for number, line in enumerate(stream, 1):
            yield number, line.rstrip("\n")
    finally:
        print("lines closed")


def parsed(source):
    for number, line in source:
        key, separator, value = line.partition("=")
        if not separator:
            print(f"line {number} skipped")
            continue
        yield key.strip(), value.strip()


def averager():
    total = count = 0
    average = None
    while True:
        try:
            value = yield average
        except ValueError:
            total = count = 0
            average = None
            continue
        total, count = total + value, count + 1
        average = total / count


def chained(*sources):
    results = []
    for source in sources:
        results.append((yield from source))
    return results


def counted(n):
    yield from range(n)
    return f"{n} done"


source = lines(sys.stdin)
records = parsed(source)
print(next(records, "nothing"))
source.close()
print(list(records))
running = averager()
next(running)
print([running.send(n) for n in (10, 20, 60)], running.throw(ValueError), running.send(5))
running.close()
try:
    running.send(1)
except StopIteration as stop:
    print("stopped", stop.value)
whole = chained(counted(2), counted(1))
out = []
while True:
    try:
        out.append(next(whole))
    except StopIteration as stop:
        print(out, stop.value)
        break
print(sum(n * n for n in range(10)), [*map(lambda a, b: a * b, range(3), range(1, 4))], list(reversed([1, 2])), list(iter(iter([1, 2, 0, 3]).__next__, 0)))


def broken():
    raise StopIteration("inside")
    yield


try:
    list(broken())
except RuntimeError as error:
    print(error, type(error.__cause__).__name__)
