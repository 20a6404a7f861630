"""What asyncio reports: a failed main, a task that nobody awaits, a coroutine that never ran."""
import asyncio
import sys


async def fails():
    raise LookupError("in the task")


async def main(kind):
    if kind == "unawaited":
        fails()
        print("after")
    elif kind == "cancel":
        task = asyncio.current_task()
        asyncio.get_running_loop().call_soon(task.cancel)
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            print("cancelled", task.cancelling(), task.uncancel())
    elif kind == "exit":
        sys.exit(4)
    else:
        await fails()


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "fail"))
