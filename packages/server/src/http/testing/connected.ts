import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type HttpWorld, type HttpWorldOptions, httpWorld } from './http-world.ts';

/** A listening test server and a connection to it. Both are closed when the test ends. */
export async function connected(
  options: HttpWorldOptions = {},
): Promise<{ world: HttpWorld; socket: Socket }> {
  const world = httpWorld(options);
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  return { world, socket: await connection(world) };
}

/** Another connection to a listening test server. */
export async function connection({ app }: HttpWorld): Promise<Socket> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}

/** The next complete response on a connection that stays open. */
export async function nextAnswer(socket: Socket): Promise<{ status: number; body: { code?: string } }> {
  let text = '';
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const [headers = '', body = ''] = text.split('\r\n\r\n', 2);
    const length = Number(/^content-length: (\d+)/im.exec(headers)?.[1]);
    if (Buffer.byteLength(body) === length)
      return { status: Number(text.split(' ')[1]), body: JSON.parse(body) };
  }
  throw new Error(`the connection ended after ${JSON.stringify(text)}`);
}

/** Everything that arrives until the other side closes. */
export async function wholeText(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
