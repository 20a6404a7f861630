import type { InstallReview } from '@ambit/client';
import { declaredLines } from '@ambit/core/inspect';
import { Copy } from './copy.tsx';
import { Visible } from './visible.tsx';

/** The needs that a skill declares for other tools, and the line that grants them. */
export function Declares({ review: { reading, declaredRemedy } }: { review: InstallReview }) {
  if (reading.declares.length === 0) return null;
  return (
    <>
      <h3>Declared for other tools, and not granted</h3>
      <ul>
        {declaredLines(reading.declares).map((line) => (
          <li>
            <Visible text={line} />
          </li>
        ))}
      </ul>
      {declaredRemedy !== null && (
        <p>
          To grant what it lacks of that, add to ambit.config.yaml:{' '}
          <Copy text={declaredRemedy} label="the line that grants it" />
        </p>
      )}
    </>
  );
}
