import { Copy } from '../part/copy.tsx';
import { Visible } from '../part/visible.tsx';

/** The missing parts of a run, and what a person can do about them. */
export function Advice({
  skill,
  hint,
  remedy,
  missingPrograms = [],
}: {
  skill: string;
  hint?: string | undefined;
  remedy?: string | undefined;
  missingPrograms?: readonly string[] | undefined;
}) {
  return (
    <>
      {hint !== undefined && (
        <section class="failure">
          <h2>What may help</h2>
          <p>
            <Visible text={hint} />
          </p>
          <p class="quiet">A skill controls what it prints, so check what this names before you grant it.</p>
        </section>
      )}
      {remedy !== undefined && (
        <section class="failure">
          <h2>Stopped by a limit</h2>
          <p>
            <Visible text={remedy} />
          </p>
        </section>
      )}
      {missingPrograms.length > 0 && (
        <section class="failure">
          <h2>Missing programs</h2>
          <p>
            Its scripts name {missingPrograms.join(', ')}, which the machine has and the sandbox lacked, so
            the result may be incomplete. To grant what it needs, run:
          </p>
          <Copy text={`ambit skills propose ${skill} --write`} label="the command that grants them" />
        </section>
      )}
    </>
  );
}
