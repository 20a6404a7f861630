import type { Capabilities } from '../capability/capabilities.ts';
import { excerptOf } from './excerpt.ts';
import type { FoundPlace } from './finding.ts';
import type { InspectionPorts } from './inspected-skill.ts';
import type { ScriptFacts } from './script/script-facts.ts';

/** A place of credentials matters more in a script that can send them. */
export function withNetwork(place: FoundPlace, facts: ScriptFacts): FoundPlace {
  if (place.rule !== 'data-credentials' || place.severity !== 'medium' || !canSend(facts)) return place;
  return {
    ...place,
    severity: 'high',
    sentence:
      'The script names a place of keys or passwords, and uses the network: together they steal. Do not grant both.',
  };
}

function canSend({ connects, hosts }: Pick<ScriptFacts, 'connects' | 'hosts'>): boolean {
  return connects || hosts.length > 0;
}

/** Things that are ordinary alone and matter together in one script. */
export function scriptCombinations(
  { file, connects, hosts, wholeEnvironment, encodedLiteral }: ScriptFacts,
  lineOf: (index: number) => number,
  { redact }: InspectionPorts,
): FoundPlace[] {
  const sends = canSend({ connects, hosts });
  const at = (index: number, length: number): Pick<FoundPlace, 'file' | 'line' | 'excerpt'> => ({
    file: file.path,
    line: lineOf(index),
    excerpt: () => excerptOf(file.text, index, length, redact),
  });
  const places: FoundPlace[] = [];
  if (wholeEnvironment !== undefined) {
    places.push({
      rule: 'data-environment',
      ...at(wholeEnvironment.index, wholeEnvironment.text.length),
      severity: sends ? undefined : 'note',
      sentence: sends
        ? 'The script takes the whole environment, where keys often are, and uses the network. The sandbox’s environment has only what you grant; do not run it outside.'
        : 'The script takes the whole environment, where keys often are. The sandbox’s environment has only what you grant.',
    });
  }
  if (encodedLiteral !== undefined) {
    places.push({
      rule: 'payload-encoded',
      ...at(encodedLiteral.index, 60),
      sentence:
        'The script has a long encoded text, decodes, and runs text as code, and no reader sees what runs. Decode it and read it; do not run it.',
    });
  }
  return places;
}

/**
 * Private data, untrusted content and a way out: with all three, the author of the content can take
 * the data.
 */
export function requestCombination(
  requested: readonly Capabilities[],
  usesAgentTools: boolean,
): FoundPlace[] {
  const isPrivate = requested.some(
    ({ filesystem, env, secrets, memory }) =>
      [...filesystem.read, ...filesystem.write].some((path) => path !== 'workspace') ||
      env.length > 0 ||
      secrets.length > 0 ||
      memory !== 'none',
  );
  const reads = requested.flatMap(({ network }) => network);
  // Responses are written by others, and each host can receive data.
  if (!isPrivate || reads.length < 1) return [];
  const isFixed = reads.every(
    (rule) => typeof rule === 'object' && rule.methods?.every((method) => method === 'GET'),
  );
  return [
    {
      rule: 'data-combination',
      file: 'ambit.yaml',
      severity:
        reads.length > 1 || reads.includes('granted') || usesAgentTools
          ? isFixed
            ? 'note'
            : 'medium'
          : 'note',
      sentence:
        'The skill requests private data and the network, which also brings text from others: together they can send the data away. Grant only the hosts and paths that it needs.',
    },
  ];
}
