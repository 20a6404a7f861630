import { useState } from 'preact/hooks';
import { bytesText } from '../format/units.ts';
import { visiblePieces } from '../format/visible.ts';

/** Text that a skill, an agent or a client wrote, on one line or more. Hidden characters are named. */
export function Visible({ text }: { text: string }) {
  return (
    <bdi>
      {visiblePieces(text).map(({ text: piece, isHidden }) =>
        isHidden ? (
          <mark class="hidden" title="A character that cannot be seen">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </bdi>
  );
}

const firstCharacters = 4000;
const moreCharacters = 40_000;

/** The same in a block, as it was written. A long text is shown in parts. */
export function Block({ text, label }: { text: string; label: string }) {
  const [length, setLength] = useState(firstCharacters);
  const rest = text.length - length;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="block" tabIndex={0} aria-label={label}>
        <pre>
          <Visible text={text.slice(0, length)} />
        </pre>
      </section>
      {rest > 0 && (
        <button type="button" onClick={() => setLength(length + moreCharacters)}>
          Show more ({bytesText(rest)} left)
        </button>
      )}
    </>
  );
}
