import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { SkillError } from '@ambit/core';
import { thrownText } from '@ambit/core/outcome';

/** A port that answers each message with the password: threads have no access to secrets. */
export function passwordPort(password: () => Promise<string>): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => {
    password().then(
      (value) => port1.postMessage({ value }),
      (error: unknown) => port1.postMessage({ failed: thrownText(error) }),
    );
  });
  port1.unref();
  return port2;
}

/** Asks the main thread for the password, in a thread with such a port. */
export function passwordFrom(port: MessagePort): () => Promise<string> {
  port.unref();
  const ask = async (): Promise<string> => {
    const answer = once(port, 'message');
    port.postMessage('password');
    const [{ value, failed }] = (await answer) as [{ value?: string; failed?: string }];
    if (value === undefined) throw new SkillError('SECRET_UNAVAILABLE', failed ?? '');
    return value;
  };
  // Connections that open at the same time share an answer.
  let pending: Promise<string> | undefined;
  return () => {
    pending ??= ask().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
