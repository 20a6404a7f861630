"""Pure coroutines: tasks, queues, time-outs, cancellation and groups."""
import asyncio
import contextlib


async def fetch(name, delay, fail=False):
    await asyncio.sleep(delay)
    if fail:
        raise RuntimeError(f"{name} failed")
    return name


async def worker(name, queue, results):
    while True:
        item = await queue.get()
        results.append((name, item * item))
        await asyncio.sleep(0)
        queue.task_done()


async def ticker(count):
    for number in range(count):
        yield number
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def session():
    print("open")
    try:
        yield "session"
    finally:
        print("close")


async def main():
    print(await asyncio.gather(fetch("slow", 0.02), fetch("fast", 0), fetch("bad", 0, True), return_exceptions=True))
    queue, results = asyncio.Queue(), []
    for number in range(6):
        queue.put_nowait(number)
    tasks = [asyncio.create_task(worker(f"w{n}", queue, results)) for n in range(2)]
    await queue.join()
    for task in tasks:
        task.cancel()
    print(results, [type(each).__name__ for each in await asyncio.gather(*tasks, return_exceptions=True)])
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(10)
    except TimeoutError:
        print("timed out")
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fetch("a", 0, True))
            group.create_task(fetch("b", 5))
    except* RuntimeError as errors:
        print([str(error) for error in errors.exceptions])
    async with session() as name:
        print(name, [n async for n in ticker(4) if n % 2], {n: n async for n in ticker(2)})
    lock, event, order = asyncio.Lock(), asyncio.Event(), []

    async def locked(n):
        await event.wait()
        async with lock:
            order.append(n)
    waiting = [asyncio.ensure_future(locked(n)) for n in range(3)]
    await asyncio.sleep(0)
    event.set()
    done, pending = await asyncio.wait(waiting)
    print(order, len(done), len(pending))
    return "finished"


print(asyncio.run(main()))
