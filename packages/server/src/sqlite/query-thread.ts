import { once } from 'node:events';
import type { MessagePort, Worker } from 'node:worker_threads';
import { startThread } from '../threads/start-thread.ts';
import { type ErrorOnTheWire, fromWire } from './thread-error.ts';

/** The answers of a thread, by name. */
type Questions = Record<string, (...given: never[]) => unknown>;

/** A question to the thread. */
export type Question<Asked extends Questions> = {
  [Name in keyof Asked]: { id: number; ask: Name; with: Parameters<Asked[Name]> };
}[keyof Asked];

/** A message to the thread: questions, at least one, or that it shall end. */
export type Message<Asked extends Questions> = readonly Question<Asked>[] | 'close';

/** An answer with its question's number, or a note for the operator. The thread sends one, or several at a time. */
export type Reply =
  | { id: number; answer: unknown }
  | { id: number; refused: ErrorOnTheWire }
  | { note: string };

/**
 * Sends questions to a thread, which the first one starts. If the thread has died, the next question starts another. The
 * thread keeps the process alive only while it has a question.
 */
export interface AskedThread<Asked extends Questions> {
  ask<Name extends keyof Asked>(
    name: Name,
    ...given: Parameters<Asked[Name]>
  ): Promise<Awaited<ReturnType<Asked[Name]>>>;
  /** Sends the thread `close`, and resolves when it has ended. Pending questions are rejected unless it answers them. */
  close(): Promise<void>;
}

export interface AskedThreadOptions {
  /** The program of the thread. */
  program: URL;
  /** The value that it gets from `threadStart`. */
  start: unknown;
  /** A port for each thread, beside its start data as `port`. */
  port?: (() => MessagePort) | undefined;
  /** Whether `close` waits for the answers to pending questions, which are rejected otherwise. */
  finishes: boolean;
  onNote(note: string): void;
  /** The error of a question that is not answered. */
  unanswered(why: 'ended' | 'closed', cause: unknown): Error;
}

export function queryThread<Asked extends Questions>({
  program,
  start,
  port: newPort,
  finishes,
  onNote,
  unanswered,
}: AskedThreadOptions): AskedThread<Asked> {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let worker: Worker | undefined;
  let isClosed = false;
  let lastId = 0;
  /** Questions of this turn of the event loop, which go with one message: each costs more than a question in it. */
  let unsent: unknown[] = [];

  const send = (): void => {
    const questions = unsent;
    unsent = [];
    if (questions.length > 0) running().postMessage(questions);
  };
  const refuseAll = (reason: Error): void => {
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
    unsent = [];
  };
  const died = (dead: Worker, cause: unknown): void => {
    if (worker !== dead) return;
    worker = undefined;
    refuseAll(unanswered('ended', cause));
  };
  const running = (): Worker => {
    if (worker !== undefined) return worker;
    const port = newPort?.();
    const started =
      port === undefined
        ? startThread(program, start)
        : startThread(program, { ...(start as object), port }, [port]);
    const received = (reply: Reply): void => {
      if ('note' in reply) {
        onNote(reply.note);
        return;
      }
      const asked = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (waiting.size === 0 && !isClosed) started.unref();
      if ('answer' in reply) asked?.resolve(reply.answer);
      else asked?.reject(fromWire(reply.refused));
    };
    started.on('message', (message: Reply | readonly Reply[]) => {
      for (const reply of [message].flat()) received(reply);
    });
    started.on('error', (error) => died(started, error));
    started.on('exit', () => died(started, undefined));
    worker = started;
    return started;
  };

  return {
    ask(name, ...given) {
      if (isClosed) return Promise.reject(unanswered('closed', undefined));
      const asked = Promise.withResolvers<unknown>();
      lastId += 1;
      waiting.set(lastId, asked);
      running().ref();
      unsent.push({ id: lastId, ask: name, with: given });
      if (unsent.length === 1) setImmediate(send);
      return asked.promise as ReturnType<typeof this.ask<typeof name>>;
    },
    async close() {
      isClosed = true;
      const ending = worker;
      if (!finishes) {
        worker = undefined;
        refuseAll(unanswered('closed', undefined));
      }
      if (ending === undefined) return;
      send();
      const exit = once(ending, 'exit');
      ending.ref();
      ending.postMessage('close');
      await exit;
    },
  };
}
