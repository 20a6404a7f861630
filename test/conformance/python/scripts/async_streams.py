"""Producer and consumer with bounded queues, semaphores and context variables."""
import asyncio
import contextvars

request = contextvars.ContextVar("request", default="none")
log = []


async def producer(queue, count):
    for number in range(count):
        await queue.put(number)
        log.append(f"+{number}")
    await queue.put(None)


async def consumer(queue):
    while (item := await queue.get()) is not None:
        log.append(f"-{item}")
        await asyncio.sleep(0)


async def handle(name, limit, active):
    request.set(name)
    async with limit:
        active.append(len(active))
        await asyncio.sleep(0)
        active.pop()
        return request.get(), max(active, default=0)


async def main():
    queue = asyncio.Queue(maxsize=2)
    await asyncio.gather(producer(queue, 5), consumer(queue))
    print(" ".join(log))
    limit, active = asyncio.Semaphore(2), []
    print(await asyncio.gather(*(handle(f"r{n}", limit, active) for n in range(4))), request.get())
    priority = asyncio.PriorityQueue()
    for item in (3, 1, 2):
        await priority.put((item, f"job{item}"))
    print([(await priority.get())[1] for _ in range(3)], priority.empty())
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: print("callback", done.result()))
    asyncio.get_running_loop().call_later(0.001, future.set_result, 42)
    print(await asyncio.shield(future))
    async for each in as_they_come(3):
        print(each)


async def as_they_come(count):
    async def work(n):
        await asyncio.sleep(0.02 * (count - n))
        return n
    for coroutine in asyncio.as_completed([work(n) for n in range(count)]):
        yield await coroutine


asyncio.run(main())
