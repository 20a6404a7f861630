import { ageText, timeText } from '../format/time.ts';

/** An instant in the reader's time zone; the exact one is its title. */
export function Time({ at, isAge = false }: { at: string | number; isAge?: boolean }) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const exact = new Date(ms).toISOString();
  return (
    <time dateTime={exact} title={`${exact} (${ageText(ms)})`}>
      {isAge ? ageText(ms) : timeText(ms)}
    </time>
  );
}
