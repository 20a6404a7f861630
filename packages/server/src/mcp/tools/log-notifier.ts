import type { ServerContext } from '@modelcontextprotocol/server';

/** Sends a skill's log to a client in whole lines. */
export interface LogNotifier {
  add(text: string): void;
  /** Sends the last, incomplete line. */
  end(): void;
}

/** Longer lines are split. */
const lineCharactersMax = 8192;

/** Sends the complete lines so far as one message of level `info`, with the skill as its logger. */
export function logNotifier(skillId: string, { mcpReq }: ServerContext): LogNotifier {
  let pending = '';
  const send = (data: string): void => {
    const params = { level: 'info' as const, logger: skillId, data };
    void mcpReq.notify({ method: 'notifications/message', params }).catch(() => undefined);
  };
  return {
    add(text) {
      pending += text;
      const end = pending.length > lineCharactersMax ? pending.length : pending.lastIndexOf('\n') + 1;
      if (end === 0) return;
      send(pending.slice(0, end).replace(/\n$/, ''));
      pending = pending.slice(end);
    },
    end() {
      if (pending !== '') send(pending);
      pending = '';
    },
  };
}
