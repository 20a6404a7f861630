// Threat model: T280

import { expect, test } from 'vitest';
import { connected, connection, nextAnswer } from '../testing/connected.ts';
import { authorization } from '../testing/http-world.ts';

const head = (length: string) =>
  `POST /skills/counter/execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
const execute = `${head('Content-Length: 11')}{"input":1}`;

test('announced bodies that do not arrive count until their clients disconnect', async () => {
  const { world, socket } = await connected({
    executions: { bodyBytes: { totalMax: 10_000, eachMax: 1500 } },
  });
  socket.write(head('Content-Length: 900'));
  const other = await connection(world);
  // The answer arrives after the first request was admitted, which counts once its headers are
  // read.
  other.write(head('Transfer-Encoding: chunked'));
  expect(await nextAnswer(other)).toMatchObject({ status: 503, body: { code: 'OVERLOADED' } });

  socket.destroy();
  const third = await connection(world);
  await expect
    .poll(async () => {
      third.write(`${head('Transfer-Encoding: chunked')}b\r\n{"input":1}\r\n0\r\n\r\n`);
      return (await nextAnswer(third)).status;
    })
    .toBe(200);
});

test('a body that has arrived uses no more memory than its call', async () => {
  const { socket } = await connected({ executions: { bodyBytes: { totalMax: 1000, eachMax: 1000 } } });
  for (let call = 0; call < 5; call += 1) {
    socket.write(execute);
    expect((await nextAnswer(socket)).status).toBe(200);
  }
});
