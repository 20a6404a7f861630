// Threat model: T198

import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type CallSecrets, callSecrets } from './call-secrets.ts';

const to = { scheme: 'https', host: 'api.example', port: 443, method: 'POST', target: '/' } as const;

test('replaces a placeholder wherever a body is cut, also if its end might begin another one', async () => {
  const { secrets, placeholder } = endingLikeABeginning();
  const body = `x${placeholder}${placeholder}ambit-secret-0 y`;
  for (let cut = 0; cut <= body.length; cut++) {
    const filling = secrets.for(to, true).body('text/plain');
    filling.write(body.slice(0, cut));
    filling.end(body.slice(cut));
    expect(await text(filling)).toBe('xVALUEVALUEambit-secret-0 y');
  }
});

/** Placeholders are random; one in sixteen ends with the letter that all of them begin with. */
function endingLikeABeginning(): { secrets: CallSecrets; placeholder: string } {
  for (;;) {
    const secrets = callSecrets([{ name: 'TOKEN', value: 'VALUE', hosts: ['api.example'] }]);
    const placeholder = secrets.placeholders['TOKEN'] ?? '';
    if (placeholder.endsWith('a')) return { secrets, placeholder };
  }
}
