import type { CallRecord } from '@ambit/client';

type OutcomeWord = CallRecord['outcome'];
type Tone = 'good' | 'bad' | 'refused' | 'live' | 'quiet';

/** The tone of each outcome, which is never drawn by its colour alone. */
export const outcomeTones: Readonly<Record<OutcomeWord, Tone>> = {
  succeeded: 'good',
  running: 'live',
  denied: 'refused',
  'capability-violated': 'refused',
  canceled: 'quiet',
  failed: 'bad',
  'timed-out': 'bad',
  'out-of-memory': 'bad',
  'out-of-fuel': 'bad',
  'output-too-large': 'bad',
  'output-invalid': 'bad',
  interrupted: 'bad',
};

const shapes: Readonly<Record<Tone, string>> = {
  good: '✓',
  bad: '✕',
  refused: '⊘',
  live: '◔',
  quiet: '–',
};

/** The outcome of a call, as a shape and a word. */
export function OutcomeMark({ outcome }: { outcome: OutcomeWord }) {
  return <Mark tone={outcomeTones[outcome] ?? 'quiet'} word={outcomeText(outcome)} />;
}

/** An outcome in words. The console says "refused" for a call and for a capability. */
export function outcomeText(outcome: string): string {
  return outcome === 'denied' ? 'refused' : outcome.replaceAll('-', ' ');
}

/** A state, as a shape and a word. */
export function Mark({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span class={`mark ${tone}`}>
      <span aria-hidden="true">{shapes[tone]}</span> {word}
    </span>
  );
}
