import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

/** Writes bytes unchanged and returns everything received until the other end closes. */
export async function raw(port: number, written: string | Buffer): Promise<string> {
  return sendAndRead(connect(port, '127.0.0.1'), written);
}

/** Opens a tunnel and returns its connection. Throws the proxy's response if it is refused. */
export async function tunnelled(proxy: number, to: string): Promise<Socket> {
  const socket = connect(proxy, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString().startsWith('HTTP/1.1 200 ')) {
    socket.destroy();
    throw new Error(answer.toString());
  }
  return socket;
}

/** Speaks TLS inside a tunnel and writes. Returns the response, or the TLS alert. */
export async function rawTls(
  proxy: number,
  to: string,
  options: ConnectionOptions,
  written: string,
): Promise<string> {
  const socket = connectTls({ socket: await tunnelled(proxy, to), ...options });
  try {
    await once(socket, 'secureConnect');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
  return sendAndRead(socket, written);
}

/** Writes, and returns everything received until the other end closes. */
export async function sendAndRead(socket: Socket, written: string | Buffer): Promise<string> {
  socket.on('error', () => socket.destroy());
  socket.write(written);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close').catch(() => undefined);
  return Buffer.concat(chunks).toString('latin1');
}
