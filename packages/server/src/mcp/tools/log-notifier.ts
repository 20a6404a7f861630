import type { ServerContext } from '@modelcontextprotocol/server';

/** Tells a client what a skill logs, by whole lines. */
export interface LogNotifier {
  add(text: string): void;
  /** Sends what has no end of a line. */
  end(): void;
}

/** A line that is longer comes in parts. */
const lineCharactersMax = 8192;

/** What comes at a time is one message of level `info`, whose logger is the skill. */
export function logNotifier(skillId: string, { mcpReq }: ServerContext): LogNotifier {
  let kept = '';
  const send = (data: string): void => {
    const params = { level: 'info' as const, logger: skillId, data };
    void mcpReq.notify({ method: 'notifications/message', params }).catch(() => undefined);
  };
  return {
    add(text) {
      kept += text;
      const end = kept.length > lineCharactersMax ? kept.length : kept.lastIndexOf('\n') + 1;
      if (end === 0) return;
      send(kept.slice(0, end).replace(/\n$/, ''));
      kept = kept.slice(end);
    },
    end() {
      if (kept !== '') send(kept);
      kept = '';
    },
  };
}
