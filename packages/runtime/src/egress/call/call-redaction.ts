import { type SecretRedactor, secretRedactor } from '../../secrets/secret-redactor.ts';

/** Redacts the secrets of one call. */
export interface CallRedaction {
  /** For what the run wrote or returned: any of the call's secrets. */
  readonly ofRun: SecretRedactor;
  /** For the answers of a host: only the values that it has received. `undefined`: none. */
  ofAnswer(received: ReadonlySet<string>): SecretRedactor | undefined;
  /** The number of redactions so far. */
  redactions(): number;
}

/** Redacts these values. */
export function callRedaction(values: readonly string[]): CallRedaction {
  const ofRun = secretRedactor(values);
  // By the set of values, written as a digit for each: 1 if the host has received it.
  const ofAnswers = new Map<string, SecretRedactor>();
  return {
    ofRun,
    ofAnswer(received) {
      if (received.size === 0) return undefined;
      const set = values.map((value) => Number(received.has(value))).join('');
      const redactor = ofAnswers.get(set) ?? secretRedactor([...received]);
      ofAnswers.set(set, redactor);
      return redactor;
    },
    redactions: () => [ofRun, ...ofAnswers.values()].reduce((sum, each) => sum + each.redactions(), 0),
  };
}
