/** The number of calls that end within a time, with `lanes` concurrent calls. */
export async function callsIn(
  ms: number,
  lanes: number,
  call: (lane: number) => Promise<void>,
): Promise<number> {
  const end = performance.now() + ms;
  let calls = 0;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (; performance.now() < end; calls++) await call(lane);
    }),
  );
  return calls;
}
