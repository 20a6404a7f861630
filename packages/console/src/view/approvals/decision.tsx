import type { InstallReview } from '@ambit/client';
import { decisionText } from '@ambit/core/inspect';
import { useState } from 'preact/hooks';
import { daemonNow } from '../../format/clock.ts';
import { client } from '../../session/session.ts';
import { StepUp } from '../../session/step-up.tsx';

const dayMs = 86_400_000;
const durations = [
  ['', 'until it is revoked'],
  [String(dayMs), 'for one day'],
  [String(7 * dayMs), 'for 7 days'],
  [String(30 * dayMs), 'for 30 days'],
] as const;

type Choice = 'approve' | 'revoke';

/** The request for a decision, made once: the code confirms exactly this. */
type DecisionRequest =
  | {
      choice: 'approve';
      fields: { digest: string; review: string; tier?: 'verified' | 'local'; until?: string };
    }
  | { choice: 'revoke'; fields: { subject: string } };

const titles: Readonly<Record<Choice, { title: string; action: string; done: string }>> = {
  approve: { title: 'Approve', action: 'Approve', done: 'Approved: the next call runs this version' },
  revoke: { title: 'Revoke', action: 'Revoke', done: 'Revoked: this version does not run' },
};

/** Approve or revoke. Each needs a code from a terminal. */
export function Decision({
  review,
  onDecided,
  onLater,
}: {
  review: InstallReview;
  onDecided: (sentence: string) => void;
  onLater: () => void;
}) {
  const [decided, setDecided] = useState<DecisionRequest>();
  const [tier, setTier] = useState<'' | 'verified' | 'local'>('');
  const [lasts, setLasts] = useState('');
  const { skill, digest } = review;
  const choose = (choice: Choice): void => {
    if (choice === 'revoke') setDecided({ choice, fields: { subject: digest } });
    else {
      const fields: (DecisionRequest & { choice: 'approve' })['fields'] = { digest, review: review.review };
      if (tier !== '') fields.tier = tier;
      if (lasts !== '') fields.until = new Date(daemonNow() + Number(lasts)).toISOString();
      setDecided({ choice, fields });
    }
  };
  const decide = async ({ choice, fields }: DecisionRequest, confirmation: string): Promise<void> => {
    if (choice === 'approve') await client.installs.approve(skill.id, fields, { confirmation });
    else await client.installs.revoke(fields.subject, null, { confirmation });
    onDecided(titles[choice].done);
  };
  return (
    <section class="decision">
      <h2>Decide</h2>
      <p>
        You decide only about <code>{digest}</code>. A later version waits for its own decision. An approved
        skill runs in the sandbox. For hosts, secrets and folders it also needs a grant in ambit.config.yaml.
      </p>
      <div class="buttons">
        <label>
          Tier
          <select value={tier} onChange={(event) => setTier(event.currentTarget.value as typeof tier)}>
            <option value="">the publisher's tier, or verified</option>
            <option value="verified">verified</option>
            <option value="local">local, like your own skills</option>
          </select>
        </label>
        <label>
          Approval lasts
          <select value={lasts} onChange={(event) => setLasts(event.currentTarget.value)}>
            {durations.map(([value, text]) => (
              <option value={value}>{text}</option>
            ))}
          </select>
        </label>
      </div>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => choose('approve')}>
          Approve…
        </button>
        <button type="button" class="danger" onClick={() => choose('revoke')}>
          Revoke…
        </button>
        <button type="button" onClick={onLater}>
          Back
        </button>
      </div>
      {decided !== undefined && (
        <StepUp
          title={`${titles[decided.choice].title} ${skill.id}`}
          action={titles[decided.choice].action}
          decision={decisionText(
            decided.choice,
            decided.choice === 'revoke' ? decided.fields : { id: skill.id, ...decided.fields },
          )}
          act={(code) => decide(decided, code)}
          onClose={() => setDecided(undefined)}
        />
      )}
    </section>
  );
}
