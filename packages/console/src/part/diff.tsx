import { Visible } from './visible.tsx';

/** A unified diff. Added and removed lines have their sign and a colour; hidden characters are named. */
export function Diff({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="block" tabIndex={0} aria-label={label}>
      <pre class="diff">
        {text.split('\n').map((line) => (
          <span class={lineClass(line)}>
            <Visible text={line} />
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}

function lineClass(line: string): string {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.startsWith('@') ? 'place' : '';
}
