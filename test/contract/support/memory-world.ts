import { once } from 'node:events';
import { someSkill } from '../../../packages/core/src/testing/some-skill.ts';
import type { Behaviour, ExecutorWorld } from './behaviour.ts';
import { granted } from './granted-skill.ts';
import { type MemorySkill, memoryExecutor } from './memory-executor.ts';

/** The executor in memory, with functions as skills. */
export function memoryWorld(): ExecutorWorld {
  const skills = new Map<string, MemorySkill>();
  let made = 0;
  return {
    executor: memoryExecutor(skills),
    async skill(behaviour, limits = {}, payload = {}) {
      const entry = `skill-${++made}`;
      const body = skillThat(behaviour);
      if (body !== undefined) skills.set(entry, body);
      return granted(
        someSkill('subject', {
          sidecar: JSON.stringify({ run: { runtime: 'wasm', entry, limits, ...payload } }),
        }),
      );
    },
    close: async () => skills.clear(),
  };
}

function skillThat(behaviour: Behaviour): MemorySkill | undefined {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return () => `"${'x'.repeat(behaviour.answersBytes - 2)}"`;
    if ('fails' in behaviour) return () => Promise.reject(new Error(behaviour.fails));
    if ('logsAndStays' in behaviour)
      return (_, { log, signal }) => {
        log(`${behaviour.logsAndStays}\n`);
        return once(signal, 'abort').then(() => '"ignored"');
      };
    return (_, { log }) => {
      log(behaviour.logs);
      return '1';
    };
  }
  switch (behaviour) {
    case 'echoes':
      return (input) => input;
    case 'never ends':
      return async (_, { signal }) => {
        if (!signal.aborted) await once(signal, 'abort');
        return '"ignored"';
      };
    case 'crashes':
      return () => {
        throw new Error('unreachable');
      };
    case 'leaves a mark':
      return (_, { files }) => {
        const found = files.has('mark');
        files.set('mark', '');
        return JSON.stringify(found);
      };
    case 'answers nothing':
      return () => '';
    case 'answers no JSON':
      return () => 'hello';
    case 'answers no UTF-8':
      return () => Uint8Array.of(0xff);
    case 'cannot start':
      return undefined;
    default:
      return behaviour satisfies never;
  }
}
