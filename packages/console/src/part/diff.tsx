import { useState } from 'preact/hooks';
import { bytesText } from '../format/units.ts';
import { Visible } from './visible.tsx';

const firstCharacters = 40_000;

/** A unified diff. A long one is shown in parts. Added and removed lines have their sign and a colour; hidden characters are named. */
export function Diff({ text, label }: { text: string; label: string }) {
  const [length, setLength] = useState(firstCharacters);
  const rest = text.length - length;
  const lines = text.slice(0, length).replace(/\n$/, '').split('\n');
  const headLines = lines[0]?.startsWith('--- ') && lines[1]?.startsWith('+++ ') ? 2 : 0;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="block" tabIndex={0} aria-label={label}>
        <pre class="diff">
          {lines.map((line, index) => (
            <span class={index < headLines ? 'place' : lineClass(line)}>
              <Visible text={line} />
              {'\n'}
            </span>
          ))}
        </pre>
      </section>
      {rest > 0 && (
        <button type="button" onClick={() => setLength(length + 10 * firstCharacters)}>
          Show more ({bytesText(rest)} left)
        </button>
      )}
    </>
  );
}

function lineClass(line: string): string {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@') ? 'place' : '';
}
